//go:build unix

package cmd

import (
	"fmt"
	"os"
	"syscall"
)

// replaceBy has another program take the place of this one. It returns only an
// error.
func replaceBy(program string, args []string) error {
	err := syscall.Exec(program, append([]string{program}, args...), os.Environ())
	return fmt.Errorf("%s cannot be started: %w", quoted(program), err)
}
