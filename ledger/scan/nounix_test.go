//go:build !unix

package scan

import "testing"

func mkfifo(t *testing.T, _ string) {
	t.Helper()
	t.Skip("needs FIFOs")
}

func mksocket(t *testing.T, _ string) {
	t.Helper()
	t.Skip("needs sockets as files")
}
