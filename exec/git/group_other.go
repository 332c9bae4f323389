//go:build !unix

package git

import "os/exec"

// grouped does nothing: what a command started is not found here.
func grouped(*exec.Cmd) (end func()) { return func() {} }
