//go:build !unix

package ledger

import "testing"

func mkfifo(t *testing.T, _ string) {
	t.Helper()
	t.Skip("needs FIFOs")
}
