//go:build tools

// Package tools pins actionlint, which checks our workflows.
package tools

import (
	_ "github.com/rhysd/actionlint/cmd/actionlint"
)
