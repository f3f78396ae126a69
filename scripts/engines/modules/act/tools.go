//go:build tools

// Package tools pins act, which runs jobs of our workflows on a developer's machine.
package tools

import (
	_ "github.com/nektos/act"
)
