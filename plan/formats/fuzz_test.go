package formats_test

import (
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
)

// FuzzRead reads any text under any name: there is always a draft, it can be
// checked and drawn, and whatever is found has a place and a hint.
func FuzzRead(f *testing.F) {
	for _, s := range samples() {
		for name, text := range s.files {
			f.Add(name, []byte(text))
		}
	}
	f.Add("x.json", []byte("[1,"))
	f.Add("tasks.md", []byte("- [ ] 1. a\n\t- [x]* 1.1 \xff\n"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		d, err := formats.ReadBytes(name, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range d.Check(plan.CheckOptions{}) {
			if f.Pos.Line < 1 || f.Pos.Column < 1 || f.Hint == "" || f.Code == "" || f.Message == "" {
				t.Errorf("%+v", f)
			}
			d.Line(f.Pos)
		}
		d.SelfCheck(plan.CheckOptions{})
		d.Plan.Digest()
		d.Plan.Graph()
		for i := range d.Plan.Tasks {
			d.Position("tasks[" + d.Plan.Tasks[i].ID + "]")
		}
		if l, err := plan.Lock(d, plan.LockOptions{Acknowledged: codes(&d.Plan)}); err == nil &&
			l.Format() != d.Format {
			t.Errorf("locked as %q", l.Format())
		}
	})
}

func codes(p *plan.Plan) []string {
	var list []string
	for _, a := range p.Acknowledgements() {
		list = append(list, a.Code)
	}
	return list
}
