package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// chooseNode answers a Node.js and the word for start.cjs. What ERPHOST_NODE names is used in any
// case; otherwise the packed one, which was tested with these scripts; and where that cannot run,
// the one on PATH.
func chooseNode(at place, all manifest, script string) (string, string, error) {
	if name := os.Getenv("ERPHOST_NODE"); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", "", final{fmt.Errorf("it needs Node.js %s or later, and ERPHOST_NODE names %s, which is not a program", all.Needs, name)}
		}
		mode, err := tried(at, all, path, script)
		if reason := new(unfitError); errors.As(err, reason) {
			return "", "", final{fmt.Errorf("it needs Node.js %s or later, and %s, which ERPHOST_NODE names, cannot be used (%v)", all.Needs, path, err)}
		}
		return path, mode, err
	}
	why, remedy := whyNotPacked(all)
	if why == "" {
		path, err := packedNode(at, all)
		if err != nil {
			return "", "", err
		}
		mode, err := tried(at, all, path, script)
		reason := new(unfitError)
		if !errors.As(err, reason) {
			return path, mode, err
		}
		why, remedy = fmt.Sprintf("the packed one cannot run here (%v)", err), "Install one"
	}
	path, err := exec.LookPath("node")
	if err != nil {
		return "", "", final{fmt.Errorf("it needs Node.js %s or later: %s, and there is no node on PATH. %s, or name one in ERPHOST_NODE", all.Needs, why, remedy)}
	}
	mode, err := tried(at, all, path, script)
	if reason := new(unfitError); errors.As(err, reason) {
		return "", "", final{fmt.Errorf("it needs Node.js %s or later: %s, and %s cannot be used (%v). %s, or name one in ERPHOST_NODE", all.Needs, why, path, err, remedy)}
	}
	return path, mode, err
}

// Where a program may find another C library than the one it was made for: its own one's loader.
var loaders = map[string]string{
	"linux/amd64": "/lib64/ld-linux-x86-64.so.2",
	"linux/arm64": "/lib/ld-linux-aarch64.so.1",
}

// whyNotPacked says why the packed Node.js is out of the question, and what to do about it.
func whyNotPacked(all manifest) (why, remedy string) {
	if all.Node.Name == "" {
		return "none is packed for this platform", "Install one"
	}
	loader := loaders[runtime.GOOS+"/"+runtime.GOARCH]
	if _, err := os.Stat(loader); loader != "" && errors.Is(err, fs.ErrNotExist) {
		return "the packed one runs with glibc, which this system does not have", "Install one (on Alpine: apk add nodejs)"
	}
	return "", ""
}

func packedNode(at place, all manifest) (string, error) {
	folder, err := at.part("node-" + all.Node.Name + "-" + all.Node.Sha256[:digestLength])
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "node"+programSuffix)
	return path, unpack("node", all.Node, path, modeProgram)
}

const compiledBytesMax = 32 << 20

// unfitError says that a Node.js does not run, or not these scripts.
type unfitError struct{ reason string }

func (err unfitError) Error() string { return err.reason }

// tried answers the file with the scripts as this Node.js compiled them, or a word of start.cjs. Its first run makes that
// file and shows that it works here.
func tried(at place, all manifest, node, script string) (string, error) {
	if at.temporary {
		_, err := try(at, all.Patience, node, script, "check")
		return "remove", err
	}
	identity, err := identityOf(node)
	if err != nil {
		return "", unfitError{err.Error()}
	}
	compiled := filepath.Join(filepath.Dir(script), identity+".compiled")
	form := compiled
	if hashes() { // Nothing tells what its content has to be: it shows that this Node.js works.
		form = "source"
	}
	if isWhole(compiled, -1) {
		return form, nil
	}
	content, err := try(at, all.Patience, node, script, "compile")
	if err != nil {
		return "", err
	}
	sweep(at)
	return form, write(compiled, modeData, func(draft io.Writer) error {
		_, err := draft.Write(content)
		return err
	})
}

// try runs start.cjs in an empty home, so that it cannot see or change anything of the user's.
func try(at place, seconds int, node, script, mode string) ([]byte, error) {
	home, err := os.MkdirTemp(at.folder, draftPrefix)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seconds)*time.Second)
	defer cancel()
	var output, complaints bytes.Buffer
	run := exec.CommandContext(ctx, node, append(append([]string{}, nodeFlags...), script, mode)...)
	run.Dir = home
	run.Env = bareEnvironment(home)
	run.Stdout = &output
	run.Stderr = &complaints
	run.WaitDelay = time.Second // What it started may hold its output for ever.
	err = run.Run()
	if err != nil && ctx.Err() != nil {
		return nil, final{fmt.Errorf("the first run of %s took longer than %d s. Try again when this machine has less to do", node, seconds)}
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s does not let programs run", at.folder)
	}
	if err != nil || output.Len() > compiledBytesMax {
		line, _, _ := strings.Cut(strings.TrimSpace(complaints.String()), "\n")
		if line == "" {
			line = fmt.Sprint(err)
		}
		return nil, unfitError{strings.TrimRight(line, ".")}
	}
	return output.Bytes(), nil
}

// bareEnvironment has what a program needs to run at all.
func bareEnvironment(home string) []string {
	env := []string{"HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + home, "TEMP=" + home, "TMP=" + home}
	for _, name := range []string{"PATH", "SystemRoot", "LD_LIBRARY_PATH"} {
		if value, isSet := os.LookupEnv(name); isSet {
			env = append(env, name+"="+value)
		}
	}
	return env
}

const digestLength = 16

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digestLength]
}

// identityOf changes whenever the program at the path does.
func identityOf(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	return digest(fmt.Sprint(real, info.Size(), info.ModTime().UnixNano())), nil
}
