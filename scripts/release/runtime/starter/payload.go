package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The build puts the manifest and the packed files here; the checkout has only a note.
//
//go:embed payload
var payload embed.FS

// packed is a file that the package holds, compressed.
type packed struct {
	Name   string
	Size   int64
	Sha256 string
}

// manifest is what the build says about the package: JSON with these names in lower case.
type manifest struct {
	Program    string // as a person knows it: terraform-provider-erphost
	Complaints string // stdout or stderr: where a person reads why it cannot start
	Needs      string // the oldest Node.js that runs the scripts
	Patience   int    // seconds that the first run of a Node.js may take
	Node       packed // without a name where no Node.js is packed
	Scripts    []packed
	Calls      []string          // every call that there is, by path
	Answers    map[string]string // members that answer calls without Node.js, by path
}

func readManifest() (all manifest, err error) {
	text, err := payload.ReadFile("payload/manifest.json")
	if err != nil {
		return all, fmt.Errorf("this is a starter without a package: %w", err)
	}
	return all, json.Unmarshal(text, &all)
}

// windowBytesMax is the memory that unpacking may take.
const windowBytesMax = 128 << 20

// open unpacks a member of the payload while it is read.
func open(member string) (io.ReadCloser, error) {
	file, err := payload.Open("payload/" + member + ".zst")
	if err != nil {
		return nil, err
	}
	stream, err := zstd.NewReader(file, zstd.WithDecoderMaxWindow(windowBytesMax))
	if err != nil {
		return nil, err
	}
	return stream.IOReadCloser(), nil
}
