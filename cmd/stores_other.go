//go:build !unix

package cmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// replaceBy has another program carry out the call, and ends with its status.
func replaceBy(program string, args []string) error {
	call := exec.Command(program, args...)
	call.Stdin, call.Stdout, call.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := call.Run()
	if exit := (*exec.ExitError)(nil); err == nil || errors.As(err, &exit) {
		return &quietError{call.ProcessState.ExitCode()}
	}
	return fmt.Errorf("%s cannot be started: %w", quoted(program), err)
}
