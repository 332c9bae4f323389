package spec

import (
	"strconv"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// known reports whether a label is one that a step has, wherever it is nested.
func known(name string) bool {
	switch name {
	case "expected output", "critical", "mode", "max retries":
		return true
	}
	_, ok := backupID(name)
	return ok
}

// field takes in one labelled item of a step: value is its text, whole is all of it as written. The label
// stands at at, its value at valueAt.
func (s *step) field(name, value, whole string, at, valueAt int) {
	if id, ok := backupID(name); ok {
		if id == "" {
			id = strconv.Itoa(len(s.backups) + 1)
		}
		s.backups = append(s.backups, &backup{id: id, at: at, text: say(whole, valueAt)})
		return
	}
	switch name {
	case "primary method", "method":
		if !s.method.ok {
			s.method = say(whole, valueAt)
			return
		}
	case "expected output", "expected outputs":
		if !s.expected.ok && strings.TrimSpace(whole) != "" {
			s.expected = say(whole, valueAt)
			return
		}
	case "critical", "critical flag":
		s.critical = flag{value: truth(value), at: valueAt}
		if s.critical.value == nil {
			s.critical.odd = value
		}
		return
	case "mode":
		s.mode = say(value, valueAt)
		return
	case "max retries", "retries":
		if i, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
			s.retries = number{value: &i, at: valueAt}
			return
		}
	}
	s.more = append(s.more, strings.ToUpper(name[:1])+name[1:]+": "+whole)
}

// field takes in one labelled line of a task.
func (t *task) field(name, value string) {
	switch name {
	case "purpose", "description":
		if t.description == "" {
			t.description = value
			return
		}
	case "verification", "expected output", "expected outputs", "acceptance criteria":
		if value != "" {
			t.criteria = append(t.criteria, value)
		}
		return
	case "research enabled":
		yes := truth(value)
		t.research = t.research || yes != nil && *yes
	case "research sources":
		t.sources = append(t.sources, listed(value)...)
	}
	if value != "" {
		t.extra = append(t.extra, plan.Setting{Key: plan.QuoteKey(slug(name)), Value: sketch.Text(value)})
	}
}
