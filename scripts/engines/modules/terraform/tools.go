//go:build tools

// Package tools pins Terraform.
package tools

import (
	_ "github.com/hashicorp/terraform"
)
