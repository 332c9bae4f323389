package method

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/internal/cause"
	"github.com/planlock/planlock/plan"
)

// Does is what a step does, by which lessons find the steps that they are
// about: the kind of its method, the programs that it runs and the kinds of files
// that it declares to touch. It says nothing of ids, names and words of one plan,
// unless there is nothing else to go by.
func Does(task *plan.Task, s *plan.Step) string {
	programs, kinds := Programs(s.Run), kindsOf(Touched(task, s))
	var b strings.Builder
	if task.Kind != "" && task.Kind != "auto" {
		b.WriteString(task.Kind + ": ")
	}
	switch {
	case len(programs) > 0:
		b.WriteString("runs " + strings.Join(programs, ", "))
	case s.Tool != "":
		b.WriteString("calls " + s.Tool)
	case s.Run != "":
		b.WriteString("runs a command")
	default:
		b.WriteString("follows a prompt")
	}
	if len(kinds) > 0 {
		b.WriteString(", touches " + strings.Join(kinds, " "))
	}
	if len(programs)+len(kinds) == 0 {
		b.WriteString(": " + cause.Shape(s.Description))
	}
	return b.String()
}

// Touched are the paths that a step declares to change, or its task for it.
func Touched(task *plan.Task, s *plan.Step) []string {
	if a := s.Artifacts; a != nil {
		return slices.Concat(a.Create, a.Modify, a.Delete)
	}
	return task.Files
}

// kindsOf are the kinds of files that paths and globs name, sorted: "*.go", or the
// name of a file that has no extension.
func kindsOf(paths []string) []string {
	var kinds []string
	for _, p := range paths {
		name := path.Base(p)
		if ext := path.Ext(name); ext != "" && ext != name && !strings.ContainsAny(ext, "*?[{") {
			name = "*" + ext
		}
		kinds = append(kinds, name)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}
