//go:build tools

// Package tools pins Conftest, which runs our policies in Rego.
package tools

import (
	_ "github.com/open-policy-agent/conftest"
)
