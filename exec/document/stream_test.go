package document_test

import (
	"testing"

	"github.com/planlock/planlock/exec/document"
)

// parts counts what is written, and the largest part of it.
type parts struct{ all, largest int }

func (p *parts) Write(b []byte) (int, error) {
	p.all, p.largest = p.all+len(b), max(p.largest, len(b))
	return len(b), nil
}

// TestDocumentsAreStreams has no document of a long run written as a whole:
// what it needs in memory must not grow with it.
func TestDocumentsAreStreams(t *testing.T) {
	told := large(t)
	m, err := document.New(told.plan, told.fold(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const part = 64 << 10
	long := 0
	for _, f := range document.Files(table(), m) {
		var p parts
		if err := f.Draw(&p); err != nil {
			t.Fatal(err)
		}
		if p.largest > part {
			t.Errorf("%s has %d bytes, and %d of them were written in one go", f.Name, p.all, p.largest)
		}
		if p.all > 4*part {
			long++
		}
	}
	if long < 4 {
		t.Errorf("only %d documents are long, so this test shows little", long)
	}
}
