package phase

import (
	"strings"

	"github.com/planlock/planlock/plan/formats/internal/labels"
)

// fields reads the labels of a task whose lines are given.
func (r *reader) fields(t *task, from, to int) {
	labels.Each(r.t, labels.Span(from, to), t.field)
	for i := from; i < min(to, len(r.t.Lines)); i++ {
		if !r.t.Lines[i].Hidden {
			if said, label := labels.Misspelt(r.t.Line(i)); label != "" {
				t.misspelt = append(t.misspelt, misspelt{i, said, label})
			}
		}
	}
}

// field puts what a label says where it belongs.
func (t *task) field(f *labels.Field) {
	text := strings.TrimSpace(f.Lines[0])
	switch {
	case f.Files():
		t.addFiles(splitFiles(f.Value()))
	case f.Acceptance():
		t.addCriteria(criteria(f.Lines), f.Line)
	case f.Depends():
		t.depends, t.dependsAt = listedNames(f.Value()), f.Line
	case f.Label == "estimate" || f.Label == "effort" || f.Label == "estimated effort":
		t.estimate, t.estimateAt = text, f.Line
	case f.Label == "priority":
		t.priority, _, _ = strings.Cut(text, " |")
	case f.Label == "status":
		t.status = text
	case f.Label == "type":
		t.kind = text
	case f.Label == "wave":
		t.wave = value{kind: 's', text: text, line: f.Line}
	case f.Label == "description" || f.Label == "what" || f.Label == "action":
		if t.about == "" {
			t.about = text
		}
	case f.Label == "expected output" || f.Label == "done" || f.Label == "done when":
		t.expected = strings.TrimSpace(f.Text())
	case f.Verify():
		t.verified(f.Text(), f.Line)
	}
}

// addCriteria joins what several labels list.
func (t *task) addCriteria(list []string, line int) {
	if t.acceptance == nil {
		t.acceptance, t.acceptanceAt = []string{}, line
	}
	t.acceptance = append(t.acceptance, list...)
}

// addFiles joins what several labels name.
func (t *task) addFiles(files []string) {
	if files == nil {
		return
	}
	if t.files == nil {
		t.files = []string{}
	}
	seen := map[string]bool{}
	for _, f := range t.files {
		seen[f] = true
	}
	for _, f := range files {
		if !seen[f] {
			seen[f] = true
			t.files = append(t.files, f)
		}
	}
}

// criteria are the items of the last list; without one, running text is a single
// criterion, or a list of YAML on one line.
func criteria(lines []string) []string {
	list, prose := labels.Criteria(lines)
	switch {
	case len(list) > 0 || prose == "":
		return list
	case prose[0] == '[' && strings.HasSuffix(prose, "]"):
		return splitNames(prose)
	}
	return []string{prose}
}
