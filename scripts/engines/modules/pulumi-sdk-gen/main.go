// Command pulumi-sdk-gen writes the SDK of a Pulumi package for one language with Pulumi's own
// generators, as `pulumi package gen-sdk` does where the language's host offers it. It is built
// twice, because the generators of two languages need an older Pulumi: see csharp_java.go.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi-sdk-gen"

// generator returns the SDK's files by their paths.
type generator func(spec schema.PackageSpec) (map[string][]byte, error)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	languages := strings.Join(slices.Sorted(maps.Keys(generators)), "|")
	if len(args) != 3 || generators[args[0]] == nil {
		return fmt.Errorf("usage: %s %s SCHEMA.json FOLDER", tool, languages)
	}
	text, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	files, err := generators[args[0]](spec)
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
