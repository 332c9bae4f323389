package document

import (
	"fmt"
	pathpkg "path"
	"time"

	"github.com/planlock/planlock/exec/history"
)

// failure writes everything known about why a step failed.
func (d *document) failure(s *step) {
	if f := s.Failure; f != nil {
		d.put("- **Reason:** %s\n", md(meaning(f.Class)))
		for _, r := range f.Reasons {
			d.put("  - %s\n", md(r))
		}
	}
	a := s.lastFailure()
	d.put("- **Attempts:** %d\n", len(s.Attempts))
	if s.Failure != nil {
		d.put("- **Remediation:** %s\n", md(s.remedy()))
	}
	for _, line := range s.aftermath() {
		d.put("- %s\n", md(line))
	}
	if s.Refusal != nil {
		d.findings(s.Refusal.Findings)
		return
	}
	if a == nil {
		return
	}
	if rows := differences(a.Ledger); rows != nil {
		d.put("\n")
		label := ""
		var cells [][]string
		for _, r := range rows {
			if r.label != "" {
				label = r.label
			}
			cells = append(cells, []string{label, md(r.text), md(r.note)})
		}
		d.table("", []string{"", "Artifact", "Remark"}, cells)
	}
	d.findings(a.Failure.Findings)
	if a.Said != nil && a.Said.Output != "" {
		d.put("\nThe end of the output of attempt %d:\n\n", a.Number)
		fence(d, "", "text", tail(a.Said.Output, 20))
	}
}

func (d *document) findings(fs []finding) {
	if len(fs) > 0 {
		d.put("\nFindings:\n\n")
	}
	for _, f := range fs {
		d.finding("", f)
	}
}

func (d *document) finding(indent string, f finding) {
	d.put("%s- ", indent)
	if f.shown != "" {
		place := f.shown
		if f.Line > 0 {
			place += fmt.Sprintf(":%d", f.Line)
		}
		d.put("%s: ", code(place))
	}
	d.put("%s", md(f.Message))
	if f.Code != "" {
		d.put(" (%s)", code(f.Code))
	}
	d.put("\n")
	if f.Expected != "" {
		d.put("%s  - expected: %s\n", indent, md(f.Expected))
	}
	if f.Happened != "" {
		d.put("%s  - happened: %s\n", indent, md(f.Happened))
	}
}

// deviations lists everything that went otherwise than planned and stands all
// the same.
func (d *document) deviations(rep *Model) {
	d.section("Deviations from plan")
	d.put("### Files outside the declarations\n\n")
	var outside, scope, late []string
	for _, s := range rep.steps {
		if e := s.account(); e != nil && s.Status == history.Completed {
			for _, c := range e.Extra {
				outside = append(outside, fmt.Sprintf("step %s: %s %s", md(string(s.Address)), md(string(c.Op)),
					code(c.shown)))
			}
		}
		for _, detour := range s.detours() {
			scope = append(scope, fmt.Sprintf("step %s: %s", md(string(s.Address)), md(detour)))
		}
		if k := s.Skipped; k != nil {
			scope = append(scope, fmt.Sprintf("step %s was skipped by %s: %s", md(string(s.Address)), md(k.By),
				md(k.Why)))
		}
		for _, q := range s.Questions {
			scope = append(scope, q.deviation())
		}
	}
	for _, m := range rep.ModeSwitches {
		scope = append(scope, fmt.Sprintf("mode %s became %s: %s", md(string(m.From)), md(string(m.To)), md(m.Cause)))
	}
	for _, r := range rep.RolledBack {
		scope = append(scope, fmt.Sprintf("the run was set back to before step %s", md(string(r.To))))
	}
	for _, a := range rep.Amendments {
		scope = append(scope, md(a.String()))
	}
	for _, a := range rep.Lock.Acknowledged {
		scope = append(scope, "acknowledged when it was locked: "+code(a))
	}
	for _, t := range rep.Tasks {
		if t.Estimate > 0 && t.Duration > t.Estimate {
			late = append(late, fmt.Sprintf("task %s took %s, %s more than estimated", md(t.ID), t.Duration,
				duration(time.Duration(t.Duration-t.Estimate))))
		}
	}
	d.list("None.", outside)
	d.put("\n### Time\n\n")
	d.list("No task took longer than estimated.", late)
	d.put("\n### Detours and decisions\n\n")
	d.list("None.", scope)
	if len(rep.Declarations) > 0 {
		d.put("\n### Declarations that would have made this plan strict\n\n")
		d.declarations(rep.Declarations)
	}
}

func (q question) deviation() string {
	out := fmt.Sprintf("question %s, %s: ", md(q.ID), md(q.What))
	switch {
	case q.Answer != nil:
		return out + fmt.Sprintf("%s answered %s (%s)", md(q.Answer.By), md(q.Answer.Choice), md(q.Answer.Label))
	case q.Refused != "":
		return out + "no answer: " + md(q.Refused)
	}
	return out + "waits for an answer"
}

func (d *document) declarations(ds []declaration) {
	text := ""
	for i, decl := range ds {
		if i > 0 {
			text += "\n"
		}
		for _, line := range decl.toml() {
			text += line + "\n"
		}
	}
	fence(d, "", "toml", text)
}

// files lists what the run changed in all, by folder.
func (d *document) files(rep *Model) {
	d.section("Files modified")
	if len(rep.Files) == 0 {
		d.put("None.\n")
		return
	}
	d.put("%s,%s\n", count(len(rep.Files), "file", "files"), orNone(rep.Lines.String()))
	var folders []string
	in := make(map[string][]file)
	for _, f := range rep.Files {
		dir := pathpkg.Dir(f.shown)
		if in[dir] == nil {
			folders = append(folders, dir)
		}
		in[dir] = append(in[dir], f)
	}
	for _, dir := range folders {
		d.put("\n### %s\n\n", code(dir))
		d.table("", []string{"File", "Change", "Added", "Removed", "Steps"}, each(in[dir], func(f file) []string {
			return []string{code(pathpkg.Base(f.shown)), md(string(f.Op)), fmt.Sprint(f.Lines.Added),
				fmt.Sprint(f.Lines.Removed), md(join(f.Steps))}
		}))
	}
}
