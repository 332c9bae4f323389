package restore

import (
	"os"
	"testing"

	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/ledger"
)

// A folder that stays closed, for it is somebody else's, goes if it is empty.
func TestRemoveFolderThatStaysClosed(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"/empty", "/full/f"} {
		if err := os.MkdirAll(dir+path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w, err := walk.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := &restorer{w: w, touched: map[string]bool{}, failed: map[string]bool{},
		plan: plan{want: ledger.Empty(), have: ledger.Empty(), unread: map[string]bool{"empty": true, "full": true}}}
	if err := r.removeEntry(ledger.Entry{Path: "empty", Kind: ledger.Special}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir + "/empty"); err == nil {
		t.Error("the empty folder is still there")
	}
	if err := r.removeEntry(ledger.Entry{Path: "full", Kind: ledger.Special}); err == nil {
		t.Error("a folder that holds something is gone, or nobody says that it is not")
	}
}
