package native

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/lockfile"
)

// Reading never panics; what is taken as TOML is TOML for others too, and other
// way round; the result is stable and the picture of it has no character that a
// terminal acts on.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"limits", "minimal", "everything"} {
		f.Add([]byte(readText(f, "../testdata/"+name+".toml")))
	}
	examples := map[string]struct{ Bad string }{}
	if err := toml.Unmarshal([]byte(readText(f, "../testdata/rules/codes.toml")), &examples); err != nil {
		f.Fatal(err)
	}
	for _, e := range examples {
		f.Add([]byte("schema = 1\n" + e.Bad))
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
		found := d.Check(plan.CheckOptions{})
		for _, x := range found {
			if x.Pos.Line < 1 || x.Pos.Column < 1 || x.Severity == "" || safetext.Hidden(x.String()) >= 0 {
				t.Errorf("%+v", x)
			}
			var b strings.Builder
			if err := x.Format(&b, d); err != nil || safetext.HiddenInLines(b.String()) >= 0 {
				t.Errorf("%v %q", err, b.String())
			}
		}
		parts := map[string]any{}
		theirs := toml.Unmarshal(bytes.TrimPrefix(text, byteOrderMark), &parts)
		faults := []string{"toml-parse-error", "key-duplicate", "value-range", "toml-too-deep", "utf8-invalid"}
		ours := slices.IndexFunc(d.Found, func(x plan.Diagnostic) bool { return slices.Contains(faults, x.Code) })
		if theirs != nil && ours < 0 && !slices.Contains(codesOf(d.Found), "too-many") {
			t.Errorf("taken, but no TOML: %v", theirs)
		}
		if theirs == nil && ours >= 0 && d.Found[ours].Code == "toml-parse-error" {
			t.Errorf("TOML, but not taken: %v", d.Found[ours])
		}
		again, _ := Read("plan.toml", append([]byte("# c\n"), bytes.TrimPrefix(text, byteOrderMark)...))
		if d.Plan.Digest() != again.Plan.Digest() && !slices.Contains(codesOf(d.Found), "toml-parse-error") {
			t.Error("a comment changes the digest")
		}
		if l, err := plan.Lock(d, plan.LockOptions{ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
			Acknowledged: codesNeeded(&d.Plan)}); err == nil {
			text, err := lockfile.Encode(l)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := lockfile.Read(d, text, plan.CheckOptions{}); err != nil || back.ID() != l.ID() {
				t.Errorf("the lock cannot be read: %v", err)
			}
		}
	})
}

func codesNeeded(p *plan.Plan) (codes []string) {
	for _, a := range p.Acknowledgements() {
		codes = append(codes, a.Code)
	}
	return codes
}
