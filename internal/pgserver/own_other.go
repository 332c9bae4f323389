//go:build !unix

package pgserver

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// Crash is the signal that stops a server at once.
var Crash os.Signal = os.Kill

func (s *Server) own() error { return errors.New("servers are started on Unix alone") }

func (s *Server) command(name string, args ...string) *exec.Cmd {
	return exec.Command(filepath.Join(s.programs, name), args...)
}
