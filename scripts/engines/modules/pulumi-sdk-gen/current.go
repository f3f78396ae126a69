//go:build !csharpjava

package main

import (
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

var generators = map[string]generator{
	"nodejs": func(spec schema.PackageSpec) (map[string][]byte, error) {
		pkg, err := imported(spec, "nodejs", nodejs.Importer)
		if err != nil {
			return nil, err
		}
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, noPackages{})
	},
	"python": func(spec schema.PackageSpec) (map[string][]byte, error) {
		pkg, err := imported(spec, "python", python.Importer)
		if err != nil {
			return nil, err
		}
		return python.GeneratePackage(tool, pkg, nil, noPackages{})
	},
	"go": func(spec schema.PackageSpec) (map[string][]byte, error) {
		pkg, err := imported(spec, "go", golang.Importer)
		if err != nil {
			return nil, err
		}
		return golang.GeneratePackage(tool, pkg, nil)
	},
}

// noPackages is never asked for anything: the schema refers to no other package.
type noPackages struct{ schema.ReferenceLoader }

func imported(spec schema.PackageSpec, name string, language schema.Language) (*schema.Package, error) {
	languages := map[string]schema.Language{name: language}
	return schema.ImportSpec(spec, languages, noPackages{}, schema.ValidationOptions{})
}
