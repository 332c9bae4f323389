//go:build unix

package postgres

import (
	"os"
	osexec "os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// crash is the signal that stops a server at once, without writing what it has
// in memory.
var crash os.Signal = syscall.SIGQUIT

// own gives the folder to who runs the server, which refuses root.
func (s *testServer) own() error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := servant()
	if err != nil {
		return err
	}
	return os.Chown(s.dir, uid, gid)
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
func (s *testServer) command(name string, args ...string) *osexec.Cmd {
	cmd := osexec.Command(name, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "TMPDIR="+filepath.Dir(s.dir), "LC_ALL=C")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		if uid, gid, err := servant(); err == nil {
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return cmd
}
