// Command pulumi-sdk-gen-csharp-java writes the C# or the Java SDK of a Pulumi package. Their
// generators left Pulumi's own module, and the latest that the Go proxy holds want an older one.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen/dotnet"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi-sdk-gen-csharp-java"

func main() {
	// The C# generator downloads a logo, which no build should.
	http.DefaultTransport = blank{}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// blank answers every request with a picture of one transparent dot.
type blank struct{}

func (blank) RoundTrip(request *http.Request) (*http.Response, error) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewNRGBA(image.Rect(0, 0, 1, 1))); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(&picture), Request: request}, nil
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: " + tool + " csharp|java SCHEMA.json FOLDER")
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
	languages := map[string]schema.Language{"csharp": dotnet.Importer, "java": java.Importer}
	pkg, err := schema.ImportSpec(spec, languages)
	if err != nil {
		return nil, err
	}
	switch language {
	case "csharp":
		return dotnet.GeneratePackage(tool, pkg, nil, nil)
	case "java":
		return java.GeneratePackage(tool, pkg, nil, true)
	default:
		return nil, fmt.Errorf("there is no generator for %q here: use csharp or java", language)
	}
}
