package main

import (
	"embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// The build puts the manifest and the packed files here; the checkout has only a note.
//
//go:embed payload
var payload embed.FS

// packed is a file that the package holds, compressed.
type packed struct {
	name   string
	size   int64
	sha256 string
}

// manifest is what the build says about the package.
type manifest struct {
	program    string        // as a person knows it: terraform-provider-erphost
	complaints string        // stdout or stderr: where a person reads why it cannot start
	needs      string        // the oldest Node.js that runs the scripts
	patience   time.Duration // how long the first run of a Node.js may take
	node       packed        // without a name where no Node.js is packed
	scripts    []packed
	calls      map[string]bool   // every call that there is, by path
	answers    map[string]string // members that answer calls without Node.js, by path
}

// readManifest parses lines of words: `program NAME`, `node VERSION SIZE SHA256`, and so on.
func readManifest() (manifest, error) {
	all := manifest{calls: map[string]bool{}, answers: map[string]string{}}
	text, err := payload.ReadFile("payload/manifest")
	if err != nil {
		return all, fmt.Errorf("this is a starter without a package: %w", err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "program":
			all.program = words[1]
		case len(words) == 2 && words[0] == "complaints":
			all.complaints = words[1]
		case len(words) == 2 && words[0] == "needs":
			all.needs = words[1]
		case len(words) == 2 && words[0] == "patience":
			if all.patience, err = time.ParseDuration(words[1]); err != nil {
				return all, fmt.Errorf("its manifest says %q", line)
			}
		case len(words) == 2 && words[0] == "call":
			all.calls[words[1]] = true
		case len(words) == 3 && words[0] == "answer":
			all.answers[words[1]] = words[2]
		case len(words) == 4 && (words[0] == "node" || words[0] == "script"):
			size, err := strconv.ParseInt(words[2], 10, 64)
			if err != nil {
				return all, fmt.Errorf("its manifest says %q", line)
			}
			file := packed{words[1], size, words[3]}
			if words[0] == "node" {
				all.node = file
			} else {
				all.scripts = append(all.scripts, file)
			}
		default:
			return all, fmt.Errorf("its manifest says %q", line)
		}
	}
	return all, nil
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
