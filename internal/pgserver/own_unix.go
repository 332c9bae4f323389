//go:build unix

package pgserver

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// Crash is the signal that stops a server at once, without writing what it has
// in memory.
var Crash os.Signal = syscall.SIGQUIT

// own gives the folder to who runs the server, which refuses root.
func (s *Server) own() error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := servant()
	if err != nil {
		return err
	}
	return os.Chown(s.Dir, uid, gid)
}

// servant is somebody who is not root.
func servant() (uid, gid int, err error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return 0, 0, err
	}
	uid, err = strconv.Atoi(u.Uid)
	if err == nil {
		gid, err = strconv.Atoi(u.Gid)
	}
	return uid, gid, err
}

// command is a program of the server.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.programs, name), args...)
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), "HOME="+s.Dir, "TMPDIR="+filepath.Dir(s.Dir), "LC_ALL=C")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		if uid, gid, err := servant(); err == nil {
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return cmd
}
