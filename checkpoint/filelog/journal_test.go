package filelog

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/checkpoint/record"
)

// TestOpenJournal: what was added is there for the next one, and a log that is
// another's is let go.
func TestOpenJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "journal")
	j, err := OpenJournal(t.Context(), path, "one", nil)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := j.Add(t.Context(), "noted", "1.1", []int{1, 2})
	if err != nil || rec.Seq != 1 || rec.Step != "1.1" || string(rec.Data) != "[1,2]" {
		t.Errorf("the record is %+v, and the error %v", rec, err)
	}
	if _, err := j.Add(t.Context(), "noted", "", func() {}); err == nil || j.Head().Seq != 1 {
		t.Errorf("a function was taken for data: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	var corrupt *record.CorruptError
	if _, err := OpenJournal(t.Context(), path, "another", nil); !errors.As(err, &corrupt) {
		t.Errorf("under another name: %v", err)
	}
	var seen []record.Record
	j, err = OpenJournal(t.Context(), path, "one", func(r record.Record) error { seen = append(seen, r); return nil })
	if err != nil || len(seen) != 1 || seen[0].Type != "noted" {
		t.Fatalf("it holds %+v, and the error is %v", seen, err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}
