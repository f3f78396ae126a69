package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// place is a folder that files are unpacked to and run from.
type place struct {
	folder    string
	temporary bool // used once; what runs from it removes it
}

// cacheFolder is where this user's programs keep what they can make again.
func cacheFolder() (string, error) {
	if folder := os.Getenv("ERPHOST_CACHE_DIR"); folder != "" {
		return filepath.Abs(folder)
	}
	if folder := os.Getenv("XDG_CACHE_HOME"); folder != "" {
		folder, err := filepath.Abs(folder)
		return filepath.Join(folder, "erphost"), err
	}
	if runtime.GOOS == "windows" {
		if folder := os.Getenv("LOCALAPPDATA"); folder != "" {
			return filepath.Join(folder, "erphost", "Cache"), nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("no home folder is known")
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Caches", "erphost"), nil
	case "windows":
		return filepath.Join(home, "AppData", "Local", "erphost", "Cache"), nil
	}
	return filepath.Join(home, ".cache", "erphost"), nil
}

// openCache makes the cache's folder. Nothing may ever run from a folder that another user can
// write to, or put another in the place of, so such a folder is an error.
func openCache() (place, error) {
	base, err := cacheFolder()
	if err != nil {
		return place{}, err
	}
	folder := filepath.Join(base, "runtime")
	// Looked at first: what root makes in the home of another user stays root's.
	there := folder
	for _, err := os.Lstat(there); errors.Is(err, fs.ErrNotExist) && filepath.Dir(there) != there; _, err = os.Lstat(there) {
		there = filepath.Dir(there)
	}
	if there != folder && runtime.GOOS != "windows" {
		if err := assertAlone(there); err != nil {
			return place{}, err
		}
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return place{}, err
	}
	folder, err = unshared(folder)
	if err != nil {
		return place{}, err
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return place{}, err
	}
	if !isOurs(info) {
		return place{}, fmt.Errorf("%s belongs to another user", folder)
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		// What others may have left in it meets the same checks as every file of ours.
		if err := os.Chmod(folder, 0o700); err != nil {
			return place{}, err
		}
	}
	return place{folder: folder}, nil
}

// unshared answers the folder without links, so that nobody can lead them elsewhere later. A folder
// that other users could replace, or one above it, is an error.
func unshared(folder string) (string, error) {
	if runtime.GOOS == "windows" { // Folders get their access lists from the user's profile.
		return folder, nil
	}
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", err
	}
	return folder, assertAlone(filepath.Dir(folder))
}

// assertAlone is an error where other users could replace what is in a folder, or one above it.
func assertAlone(folder string) error {
	outer, err := filepath.EvalSymlinks(folder)
	for err == nil {
		var info os.FileInfo
		if info, err = os.Lstat(outer); err == nil && isShared(info) {
			return fmt.Errorf("other users can change %s, and so what is in it", outer)
		}
		if outer == filepath.Dir(outer) {
			break
		}
		outer = filepath.Dir(outer)
	}
	return err
}

// part makes a folder in the place for files that belong together.
func (at place) part(name string) (string, error) {
	folder := filepath.Join(at.folder, name)
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return "", err
	}
	if !info.IsDir() || !isOurs(info) || isOpenToOthers(info) {
		return "", fmt.Errorf("%s is not a folder of this user alone", folder)
	}
	now := time.Now()
	_ = os.Chtimes(folder, now, now) // It is in use: see sweep.
	return folder, nil
}

const temporaryPrefix = "erphost-start-"

// openTemporary makes a folder for one start.
func openTemporary() (place, error) {
	folder, err := os.MkdirTemp("", temporaryPrefix)
	if err != nil {
		return place{}, err
	}
	safe, err := unshared(folder)
	if err != nil {
		os.Remove(folder)
		return place{}, err
	}
	sweepTemporary(filepath.Dir(safe))
	return place{folder: safe, temporary: true}, nil
}

// sweepTemporary removes our folders whose starts were killed: others are gone within seconds.
func sweepTemporary(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && strings.HasPrefix(entry.Name(), temporaryPrefix) && info.IsDir() &&
			isOurs(info) && isOlder(entry, draftAgeMax) {
			os.RemoveAll(filepath.Join(folder, entry.Name()))
		}
	}
}
