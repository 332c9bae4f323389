//go:build !unix

package postgres

import (
	"errors"
	"os"
	osexec "os/exec"
)

var crash os.Signal = os.Kill

func (s *testServer) own() error { return errors.New("servers are started on Unix alone") }

func (s *testServer) command(name string, args ...string) *osexec.Cmd {
	return osexec.Command(name, args...)
}
