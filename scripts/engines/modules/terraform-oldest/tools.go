//go:build tools

// Package tools pins the Terraform that is oldest of those supported and in the proxy.
package tools

import (
	_ "github.com/hashicorp/terraform"
)
