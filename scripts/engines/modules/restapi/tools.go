//go:build tools

// Package tools pins the generic REST provider that the benchmark compares with.
package tools

import (
	_ "github.com/Mastercard/terraform-provider-restapi"
)
