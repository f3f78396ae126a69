//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const programSuffix = ""

func isOurs(info os.FileInfo) bool {
	status, isKnown := info.Sys().(*syscall.Stat_t)
	return isKnown && int(status.Uid) == os.Geteuid()
}

func isOpenToOthers(info os.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// isShared tells whether anybody but root and us could put something else in the place of what is in
// a folder. A group with the number of the folder's owner is taken for that user alone.
func isShared(info os.FileInfo) bool {
	status, isKnown := info.Sys().(*syscall.Stat_t)
	if !isKnown || status.Uid != 0 && int(status.Uid) != os.Geteuid() {
		return true
	}
	mode := info.Mode().Perm()
	isOpen := mode&0o002 != 0 || mode&0o020 != 0 && status.Gid != status.Uid
	return isOpen && info.Mode()&os.ModeSticky == 0
}

// become replaces this process: its id, its streams and its signals are Node.js's from here on.
// start.cjs removes a temporary folder.
func become(_ place, node string, words, env []string) error {
	err := syscall.Exec(node, append([]string{node}, words...), env)
	return fmt.Errorf("%s: %w", node, err)
}

const (
	lockTries  = 300
	lockSilent = 20 // tries; after that it says what it waits for
	lockPause  = 100 * time.Millisecond
)

// lock lets one start at a time unpack, so that ten at once do not write 100 MB each. It saves
// work and nothing depends on it: after half a minute, or where there are no locks, all go on.
func lock(at place, program string) (unlock func()) {
	file, err := os.OpenFile(filepath.Join(at.folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return func() {}
	}
	for tries := range lockTries {
		if tries == lockSilent {
			fmt.Fprintf(os.Stderr, "%s: waits for another start, which is unpacking into %s.\n", program, at.folder)
		}
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EWOULDBLOCK {
			break
		}
		time.Sleep(lockPause)
	}
	return func() { file.Close() }
}
