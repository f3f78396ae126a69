//go:build tools

// Package tools pins the Pulumi engine and everything it is built from.
package tools

import (
	_ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
)
