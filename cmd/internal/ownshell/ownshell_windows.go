package ownshell

import (
	"os"

	"github.com/planlock/planlock/cmd/internal/posix"
)

// as is the first argument by which this program is a shell. It is no command
// of planlock's.
const as = "sh"

// Args are how this program runs a shell command itself: the text comes behind.
func Args() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, as, "-c"}
}

// Serve ends this process as the shell if it was started as one.
func Serve() {
	if len(os.Args) > 1 && os.Args[1] == as {
		os.Exit(posix.Main(os.Args[2:]))
	}
}
