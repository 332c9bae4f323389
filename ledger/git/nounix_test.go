//go:build !unix

package git

import "testing"

func mkfifo(t *testing.T, _ string) {
	t.Helper()
	t.Skip("needs FIFOs")
}
