// Command starter is the executable of a packaged plugin. It holds a Node.js and the plugin's
// scripts, compressed. At its first start it unpacks them into the user's cache; then, and at every
// later start, it becomes that Node.js.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

// Thousands of short calls leave a lot of short-lived garbage.
var nodeFlags = []string{"--max-semi-space-size=32", "--min-semi-space-size=16"}

func main() {
	all, err := readManifest()
	if err == nil {
		err = start(all, os.Args[1:])
	}
	complain(all, err)
}

// complain says why nothing was started, where a person reads it, and ends this process.
func complain(all manifest, err error) {
	stream := os.Stderr
	if late := new(servedError); all.Complaints == "stdout" && !errors.As(err, late) {
		stream = os.Stdout
	}
	fmt.Fprintf(stream, "%s cannot start: %v.\n", all.Program, err)
	os.Exit(1)
}

// start returns only where it fails.
func start(all manifest, args []string) error {
	// An engine that is interrupted ends its plugins itself; becoming Node.js undoes this.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	cached, err := openCache()
	if err == nil {
		err = startFrom(cached, all, args)
	}
	if isFinal(err) {
		return err
	}
	temporary, other := openTemporary()
	if other != nil {
		return unwritable(err, other)
	}
	defer os.RemoveAll(temporary.folder)
	fmt.Fprintf(os.Stderr, "%s: nothing is kept in the cache, so every start takes longer: %v. "+
		"Name a folder of your own in ERPHOST_CACHE_DIR.\n", all.Program, err)
	other = startFrom(temporary, all, args)
	if isFinal(other) {
		return other
	}
	return unwritable(err, other)
}

func unwritable(first, second error) error {
	return fmt.Errorf("there is no folder to unpack it to: %v; %v. "+
		"Name a folder of your own with 200 MB of space in ERPHOST_CACHE_DIR", first, second)
}

// final is a failure that no other folder would mend: no Node.js can be used, or the package is broken.
type final struct{ error }

func isFinal(err error) bool {
	return errors.As(err, new(final)) || errors.As(err, new(servedError))
}

// served is what this process leaves to Node.js after it has answered an engine.
type served struct {
	words   []string // tell Node.js to take over
	abandon func()   // for where there is no Node.js after all
}

// servedError says that an engine has an answer and waits for more: it has read where this process
// listens, so that nothing else can be started in its place.
type servedError struct{ error }

func startFrom(at place, all manifest, args []string) error {
	unlock := lock(at, all.Program)
	ready, err := prepare(at, all)
	unlock()
	if err != nil {
		return err
	}
	words := append([]string{}, nodeFlags...)
	words = append(words, ready.script, ready.mode)
	var before *served
	if !at.temporary { // there Node.js removes the folder
		before = answerFirst(all, args)
	}
	if before == nil {
		return become(at, ready.node, append(words, args...), environment())
	}
	err = become(at, ready.node, append(words, before.words...), environment())
	before.abandon()
	return servedError{err}
}

// prepared is what a start needs.
type prepared struct {
	node   string
	script string
	mode   string // the file with the compiled scripts, or a word of start.cjs
}

// prepare unpacks what is missing, and finds a Node.js that has been seen to work.
func prepare(at place, all manifest) (prepared, error) {
	folder, err := scripts(at, all)
	if err != nil {
		return prepared{}, err
	}
	script := filepath.Join(folder, "start.cjs")
	node, mode, err := chooseNode(at, all, script)
	return prepared{node, script, mode}, err
}

// scripts unpacks the plugin's scripts into a folder of their own.
func scripts(at place, all manifest) (string, error) {
	sums := make([]string, 0, len(all.Scripts))
	for _, script := range all.Scripts {
		sums = append(sums, script.Sha256)
	}
	folder, err := at.part(all.Program + "-" + digest(strings.Join(sums, " ")))
	if err != nil {
		return "", err
	}
	for _, script := range all.Scripts {
		if err := unpack(script.Name, script, filepath.Join(folder, script.Name), modeData); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// environment leaves out what is meant for other programs.
func environment() []string {
	var kept []string
	for _, one := range os.Environ() {
		if !strings.HasPrefix(one, "NODE_OPTIONS=") {
			kept = append(kept, one)
		}
	}
	return kept
}
