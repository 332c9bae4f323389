package process

import (
	"crypto/rand"
	osexec "os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestCookieIsFound looks for an assignment at every place of an environment, with buffers that cut it.
func TestCookieIsFound(t *testing.T) {
	cookie := cookieName + "=" + rand.Text()
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
		"another value": {[]string{cookieName + "=" + rand.Text()}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := &osexec.Cmd{Path: "/bin/sleep", Args: []string{"sleep", "100"}, Env: test.env}
			if err := cmd.Start(); err != nil {
				t.Skip(err)
			}
			defer cmd.Wait()
			defer cmd.Process.Kill()
			for size := 2*len(cookie) + 2; size < 2*len(cookie)+80; size++ {
				if got := carries(strconv.Itoa(cmd.Process.Pid), cookie, make([]byte, size)); got != test.want {
					t.Fatalf("with a buffer of %d bytes: %v", size, got)
				}
			}
		})
	}
}
