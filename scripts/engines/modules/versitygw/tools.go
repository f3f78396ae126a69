//go:build tools

// Package tools pins versitygw, which serves S3 over a folder: tests keep states in it.
package tools

import (
	_ "github.com/versity/versitygw/cmd/versitygw"
)
