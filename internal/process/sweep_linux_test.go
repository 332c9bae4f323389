package process

import (
	"crypto/rand"
	osexec "os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/planlock/planlock/internal/process/environ"
)

// TestCookieIsFound looks for an assignment at every place of an environment,
// with buffers that cut it.
func TestCookieIsFound(t *testing.T) {
	cookie := environ.Cookie + "=" + rand.Text()
	long := "LONG=" + strings.Repeat("x", 100_000)
	tests := map[string]struct {
		env  []string
		want bool
	}{
		"alone":         {[]string{cookie}, true},
		"first":         {[]string{cookie, "A=b"}, true},
		"last":          {[]string{"A=b", cookie}, true},
		"after much":    {[]string{"A=b", long, cookie, "C=d"}, true},
		"empty":         {[]string{}, false},
		"longer":        {[]string{cookie + "x"}, false},
		"part of one":   {[]string{"A=" + cookie}, false},
		"another value": {[]string{environ.Cookie + "=" + rand.Text()}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := &osexec.Cmd{Path: "/bin/sleep", Args: []string{"sleep", "100"}, Env: test.env}
			if err := cmd.Start(); err != nil {
				t.Skip(err)
			}
			defer cmd.Wait()
			defer cmd.Process.Kill()
			pid := strconv.Itoa(cmd.Process.Pid)
			for between(pid) {
				osexec.Command("/bin/true").Run() // the program is loaded meanwhile
			}
			for size := 2*len(cookie) + 2; size < 2*len(cookie)+80; size++ {
				if got, empty := carries(pid, cookie, make([]byte, size)); got != test.want ||
					empty != (len(test.env) == 0) {
					t.Fatalf("with a buffer of %d bytes: %v, empty: %v", size, got, empty)
				}
			}
		})
	}
}

// TestBetweenPrograms starts programs and looks at each at once: whoever seems
// to have no environment is on its way to one.
func TestBetweenPrograms(t *testing.T) {
	cookie := environ.Cookie + "=" + rand.Text()
	buf, seen := make([]byte, 1<<10), 0
	for range 200 {
		cmd := &osexec.Cmd{Path: "/bin/sleep", Args: []string{"sleep", "100"}, Env: []string{cookie}}
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
		pid := strconv.Itoa(cmd.Process.Pid)
		for found := false; !found; {
			before := between(pid)
			var empty bool
			if found, empty = carries(pid, cookie, buf); empty && !before && !between(pid) {
				found, empty = carries(pid, cookie, buf) // it was between the two looks
				if empty {
					t.Errorf("process %s has no environment, and is not between programs", pid)
				}
			}
			if before {
				seen++
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
	t.Logf("seen between programs %d times", seen)
}
