package plan

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// Reading never panics; what is taken as TOML is TOML for others too, and other way round; the result is
// stable and the picture of it has no character that a terminal acts on.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"limits", "minimal", "everything"} {
		f.Add([]byte(readText(f, "testdata/"+name+".toml")))
	}
	for _, c := range Codes() {
		f.Add([]byte("schema = 1\n" + c.Bad))
	}
	f.Add([]byte("\xef\xbb\xbfschema = 1\r\n[a.b.c]\n[[a.d]]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<13 {
			return
		}
		d, err := Read("plan.toml", text)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		found := d.Check(CheckOptions{})
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%v for %d bytes", took, len(text))
		}
		for _, x := range found {
			if x.Pos.Line < 1 || x.Pos.Column < 1 || x.Severity == "" || hidden(x.String()) >= 0 {
				t.Errorf("%+v", x)
			}
			var b strings.Builder
			if err := x.Format(&b, d); err != nil || hiddenIn(b.String()) >= 0 {
				t.Errorf("%v %q", err, b.String())
			}
		}
		for _, drawn := range []string{d.Plan.Text(), d.Plan.Mermaid(), d.Plan.Dot()} {
			if hiddenIn(drawn) >= 0 {
				t.Errorf("%q", drawn)
			}
		}
		parts := map[string]any{}
		theirs := toml.Unmarshal(bytes.TrimPrefix(text, byteOrderMark), &parts)
		faults := []string{"toml-parse-error", "key-duplicate", "value-range", "toml-too-deep", "utf8-invalid"}
		ours := slices.IndexFunc(d.Found, func(x Diagnostic) bool { return slices.Contains(faults, x.Code) })
		if theirs != nil && ours < 0 && !slices.Contains(codesOf(d.Found), "too-many") {
			t.Errorf("taken, but no TOML: %v", theirs)
		}
		if theirs == nil && ours >= 0 && d.Found[ours].Code == "toml-parse-error" {
			t.Errorf("TOML, but not taken: %v", d.Found[ours])
		}
		again, _ := Read("plan.toml", append([]byte("# c\n"), bytes.TrimPrefix(text, byteOrderMark)...))
		if d.Plan.Digest() != again.Plan.Digest() && !d.broken {
			t.Error("a comment changes the digest")
		}
		if l, err := Lock(d, LockOptions{Acknowledged: codesNeeded(&d.Plan)}); err == nil {
			if back, err := ReadLock(d, l.Encode(), CheckOptions{}); err != nil || back.ID() != l.ID() {
				t.Errorf("the lock cannot be read: %v", err)
			}
		}
	})
}

func codesNeeded(p *Plan) (codes []string) {
	for _, a := range p.Acknowledgements() {
		codes = append(codes, a.Code)
	}
	return codes
}

// Only what Encode wrote is read, and it is written the same again.
func FuzzReadLock(f *testing.F) {
	d, err := Read("plan.toml", []byte(limitsPlan(f)))
	if err != nil {
		f.Fatal(err)
	}
	l, err := Lock(d, LockOptions{Now: fixedNow})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(l.Encode())
	f.Add([]byte(`{"schema": "planlock.lock/1"}`))
	f.Fuzz(func(t *testing.T, lock []byte) {
		l, err := ReadLock(d, lock, CheckOptions{})
		if err == nil && !bytes.Equal(bytes.TrimSpace(l.Encode()), bytes.TrimSpace(bytes.ReplaceAll(lock, []byte("\r\n"), []byte("\n")))) {
			t.Errorf("%s\n%s", lock, l.Encode())
		}
	})
}
