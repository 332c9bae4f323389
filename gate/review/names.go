package review

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

// names reports whether the task, one of its steps or a criterion names a path:
// as an artifact, as evidence, in a check, or in its text.
func (s *subject) names(path, criterion string) bool {
	task := s.pass.Task
	if mentions(criterion, path) || mentions(task.Title, path) || mentions(task.Description, path) {
		return true
	}
	return stepNames(s.pass.Step, path) ||
		slices.ContainsFunc(task.Steps, func(step plan.Step) bool { return stepNames(&step, path) })
}

// stepNames reports whether a step names a path. A glob names none.
func stepNames(step *plan.Step, path string) bool {
	if a := step.Artifacts; a != nil && slices.Contains(slices.Concat(a.Create, a.Modify, a.Delete), path) {
		return true
	}
	return slices.Contains(step.Evidence, path) ||
		slices.ContainsFunc(step.Postconditions, func(c plan.Check) bool { return c.Path == path }) ||
		mentions(step.Description, path) || mentions(step.Prompt, path) || mentions(step.Run, path) ||
		mentions(step.ToolCall(), path)
}

// mentions reports whether a text has a path in it, as a word of its own. A path
// that could be any word stands in quotes.
func mentions(text, path string) bool {
	for at := 0; ; at++ {
		n := strings.Index(text[at:], path)
		if n < 0 {
			return false
		}
		at += n
		before, behind := text[:at], text[at+len(path):]
		if quoted(before, behind) || strings.ContainsAny(path, "./") && alone(before, behind) {
			return true
		}
	}
}

// quoted reports whether what stands between two texts is in quotes.
func quoted(before, behind string) bool {
	if before == "" || behind == "" {
		return false
	}
	mark := before[len(before)-1]
	return strings.IndexByte("`'\"", mark) >= 0 && behind[0] == mark
}

// alone reports whether what stands between two texts is no part of a longer
// path.
func alone(before, behind string) bool {
	if before, ok := strings.CutSuffix(before, "./"); ok {
		return alone(before, behind)
	}
	behind = strings.TrimLeft(behind, ".")
	return (before == "" || !ofPath(before[len(before)-1])) && (behind == "" || !ofPath(behind[0]))
}

// ofPath reports whether a byte goes on with the name of a path.
func ofPath(c byte) bool {
	return c >= 0x80 || strings.IndexByte("_-./", c) >= 0 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
