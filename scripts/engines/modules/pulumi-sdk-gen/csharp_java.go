//go:build csharpjava

// The generators of C# and Java left Pulumi's own module, and the latest versions that are available
// need an older Pulumi than the other generators: hence csharp-java.mod and a program of its own.
package main

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"net/http"

	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen/dotnet"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

var generators = map[string]generator{
	"csharp": func(spec schema.PackageSpec) (map[string][]byte, error) {
		// The generator downloads a logo, which no build should.
		http.DefaultTransport = blank{}
		pkg, err := imported(spec, "csharp", dotnet.Importer)
		if err != nil {
			return nil, err
		}
		return dotnet.GeneratePackage(tool, pkg, nil, nil)
	},
	"java": func(spec schema.PackageSpec) (map[string][]byte, error) {
		pkg, err := imported(spec, "java", java.Importer)
		if err != nil {
			return nil, err
		}
		return java.GeneratePackage(tool, pkg, nil, true)
	},
}

func imported(spec schema.PackageSpec, name string, language schema.Language) (*schema.Package, error) {
	return schema.ImportSpec(spec, map[string]schema.Language{name: language})
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
