// Command pulumi-sdk-gen writes the SDK of a Pulumi package for one language with Pulumi's own
// generators: what `pulumi package gen-sdk` does where the language's host offers it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi-sdk-gen"

// noPackages is asked for nothing: the schema refers to no other package.
type noPackages struct{ schema.ReferenceLoader }

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: pulumi-sdk-gen nodejs|python|go SCHEMA.json FOLDER")
	}
	files, err := generate(args[0], args[1])
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(args[2], filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func generate(language, schemaFile string) (map[string][]byte, error) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	languages := map[string]schema.Language{
		"nodejs": nodejs.Importer,
		"python": python.Importer,
		"go":     golang.Importer,
	}
	pkg, err := schema.ImportSpec(spec, languages, noPackages{}, schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	switch language {
	case "nodejs":
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, noPackages{})
	case "python":
		return python.GeneratePackage(tool, pkg, nil, noPackages{})
	case "go":
		return golang.GeneratePackage(tool, pkg, nil)
	default:
		return nil, fmt.Errorf("there is no generator for %q here: use nodejs, python or go", language)
	}
}
