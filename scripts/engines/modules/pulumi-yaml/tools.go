//go:build tools

// Package tools pins the host of Pulumi YAML programs.
package tools

import (
	_ "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"
)
