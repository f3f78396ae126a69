package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// A file that was unpacked, checked and not touched since has this time of its last change, which
// nothing that writes to a file leaves as it is. Reading 100 MB again at every start would take as
// long as the start itself.
var untouched = time.Unix(946_684_800, 0)

const (
	modeData    = 0o400
	modeProgram = 0o500
)

// hashes tells whether a start reads every file again before it is used. A folder that pipelines keep
// may have been filled by another job, and what fills it can set every time, mode and owner.
func hashes() bool { return os.Getenv("ERPHOST_CACHE_DIR") != "" || os.Getenv("CI") != "" }

func hashOf(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return ""
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// isWhole tells whether a file is as we left it. A size below zero stands for any.
func isWhole(path string, size int64) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && isOurs(info) && !isOpenToOthers(info) &&
		info.ModTime().Equal(untouched) && (size < 0 || info.Size() == size)
}

// unpack brings a packed file to its path, where it is not there already.
func unpack(member string, file packed, path string, mode os.FileMode) error {
	if isWhole(path, file.Size) && (!hashes() || hashOf(path) == file.Sha256) {
		return nil
	}
	stream, err := open(member)
	if err != nil {
		return damaged(member, err)
	}
	defer stream.Close()
	return write(path, mode, func(draft io.Writer) error {
		hash := sha256.New()
		length, err := io.Copy(io.MultiWriter(draft, hash), readOnly{stream})
		if err != nil {
			return err
		}
		if length != file.Size || hex.EncodeToString(hash.Sum(nil)) != file.Sha256 {
			return damaged(member, fmt.Errorf("its checksum differs"))
		}
		return nil
	})
}

// readOnly hides that a stream can write itself, so that its failures are told from the file's.
type readOnly struct{ from io.Reader }

func (stream readOnly) Read(into []byte) (int, error) {
	length, err := stream.from.Read(into)
	if err != nil && err != io.EOF {
		err = damaged("a part of it", err)
	}
	return length, err
}

// damaged says that the package itself is broken.
func damaged(part string, cause error) error {
	return final{fmt.Errorf("its package is damaged (%s: %w): install it again", part, cause)}
}

// write makes a file under another name and renames it when it is complete, so that nobody ever
// sees half of it; a start that is killed leaves the draft, which a later one removes.
func write(path string, mode os.FileMode, fill func(io.Writer) error) error {
	draft, err := os.CreateTemp(filepath.Dir(path), draftPrefix)
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	defer draft.Close()
	if err := fill(draft); err != nil {
		return err
	}
	if runtime.GOOS != "windows" { // There it would be a flag that keeps the file from being replaced.
		if err := draft.Chmod(mode); err != nil {
			return err
		}
	}
	if err := draft.Sync(); err != nil {
		return err
	}
	if err := draft.Close(); err != nil {
		return err
	}
	if err := os.Chtimes(draft.Name(), untouched, untouched); err != nil {
		return err
	}
	if err := os.Rename(draft.Name(), path); err != nil && (hashes() || !isWhole(path, -1)) {
		return err
	}
	return nil
}

const (
	draftPrefix = ".draft-"
	// A draft of this age has lost its process.
	draftAgeMax = time.Hour
	// What no start has used for so long belongs to a release that is gone.
	unusedAgeMax = 60 * 24 * time.Hour
)

// ownPart is a name that a start gives: ERPHOST_CACHE_DIR may name a folder with others in it.
var ownPart = regexp.MustCompile(`^(?:node-.+|(?:terraform-provider|pulumi-resource)-erphost)-[0-9a-f]{16}$`)

// sweep removes what killed starts and releases of long ago have left. What cannot be removed, such
// as a program that runs on Windows, is left to a later one.
func sweep(at place) {
	parts, err := os.ReadDir(at.folder)
	if err != nil {
		return
	}
	for _, part := range parts {
		folder := filepath.Join(at.folder, part.Name())
		isLeft := isDraft(part) && isOlder(part, draftAgeMax)
		if isLeft || part.IsDir() && ownPart.MatchString(part.Name()) && isOlder(part, unusedAgeMax) {
			os.RemoveAll(folder)
			continue
		}
		files, _ := os.ReadDir(folder) // what is not a folder has none
		for _, file := range files {
			if isDraft(file) && isOlder(file, draftAgeMax) {
				os.Remove(filepath.Join(folder, file.Name()))
			}
		}
	}
}

func isDraft(entry os.DirEntry) bool { return strings.HasPrefix(entry.Name(), draftPrefix) }

func isOlder(entry os.DirEntry, age time.Duration) bool {
	info, err := entry.Info()
	return err == nil && time.Since(info.ModTime()) > age
}
