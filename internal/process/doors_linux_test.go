//go:build linux && (amd64 || arm64)

package process_test

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// The sockets of services are out of reach, whatever network they are of and
// wherever they lie, but in the workspace and where the plan names them.
func TestSocketsOfServicesAreHidden(t *testing.T) {
	for _, level := range []process.Level{process.Filesystem, process.Strict} {
		t.Run(string(level), func(t *testing.T) { hiddenAt(t, level) })
	}
}

func hiddenAt(t *testing.T, level process.Level) {
	reached, err := process.Reach(process.Sandbox{Level: level})
	if err != nil || !reached.Mounts {
		t.Skip(err, reached.Reasons)
	}
	short := func() string { // the path of a socket has at most 107 bytes
		folder, err := os.MkdirTemp("", "d")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(folder) })
		return folder
	}
	workspace, runtime, elsewhere := short(), short(), short()
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	inside, outside := listen(t, filepath.Join(workspace, "s"), false), listen(t, filepath.Join(elsewhere, "s"), false)
	link := filepath.Join(elsewhere, "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	reaches := func(socket string, writable ...string) bool {
		t.Helper()
		r := &process.Runner{Dir: workspace, Sandbox: process.Sandbox{Level: level, Writable: writable}}
		result, err := r.Run(t.Context(), gate.Command{Args: []string{self},
			Env: []string{"SOCKET=" + socket, asAttempt + "=unix socket", "GORACE=atexit_sleep_ms=0"}})
		if err != nil {
			t.Fatal(err)
		}
		return result.Exit == 0
	}
	for name, c := range map[string]struct {
		socket   string
		writable []string
		want     bool
	}{
		"outside":                 {outside, []string{}, false},
		"by a link":               {link, []string{}, false},
		"its folder is writable":  {outside, []string{elsewhere}, false},
		"the defaults":            {outside, nil, false},
		"it is named":             {outside, []string{outside}, true},
		"it is named by the link": {outside, []string{link}, true},
		"in the workspace":        {inside, []string{}, level != process.Strict},
	} {
		t.Run(name, func(t *testing.T) {
			if got := reaches(c.socket, c.writable...); c.writable != nil && got != c.want {
				t.Errorf("it is reached: %v", got)
			}
			if c.writable == nil && reaches(c.socket) != c.want {
				t.Errorf("it is reached where the plan names nothing")
			}
		})
	}
	t.Run("of another network", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("needs privileges")
		}
		folder := filepath.Join(runtime, "service", "one")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if reaches(listen(t, filepath.Join(folder, "s"), true)) {
			t.Error("it is reached")
		}
	})
}

// listen binds a socket, of another network if that is wanted.
func listen(t *testing.T, path string, another bool) string {
	t.Helper()
	var l net.Listener
	var bind func(done chan<- error)
	bind = func(done chan<- error) {
		if another {
			// For good: the thread ends with the goroutine. The first one does
			// not, and what /proc says of the network is what it sees.
			if runtime.LockOSThread(); syscall.Gettid() == syscall.Getpid() {
				inner := make(chan error)
				go bind(inner)
				done <- <-inner
				runtime.UnlockOSThread()
				return
			}
			if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
				done <- err
				return
			}
		}
		var err error
		l, err = net.Listen("unix", path)
		done <- err
	}
	done := make(chan error)
	go bind(done)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return path
}
