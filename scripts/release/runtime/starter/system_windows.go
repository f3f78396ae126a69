package main

import (
	"os"
	"os/exec"
	"os/signal"
	"unsafe"

	"golang.org/x/sys/windows"
)

const programSuffix = ".exe"

// The cache's folder gets its access list from the user's profile, which no other user can write to.
func isOurs(os.FileInfo) bool { return true }

func isOpenToOthers(os.FileInfo) bool { return false }

func isShared(os.FileInfo) bool { return false }

// lock does nothing: starts that unpack at once each write a file of their own.
func lock(place, string) (unlock func()) { return func() {} }

// answerFirst does nothing: without exec, nothing could take over from it.
func answerFirst(manifest, []string) *served { return nil }

// become runs Node.js with this process's streams, and ends as it ends. Windows has no exec; the
// job ends Node.js with this process, however that happens.
func become(at place, node string, words, env []string) error {
	if err := shareFate(); err != nil {
		return err
	}
	// Ctrl-C and Ctrl-Break reach Node.js as well, which knows what has begun. To ignore them would
	// leave them to Windows, which ends this process and so Node.js.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	run := exec.Command(node, words...)
	run.Env = env
	run.Stdin, run.Stdout, run.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := run.Run()
	if at.temporary {
		os.RemoveAll(at.folder)
	}
	if run.ProcessState == nil {
		return err
	}
	os.Exit(run.ProcessState.ExitCode())
	return nil
}

// shareFate puts this process into a job that ends when its last handle is closed: ours.
func shareFate() error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return err
	}
	return windows.AssignProcessToJobObject(job, windows.CurrentProcess())
}
