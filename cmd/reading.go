package cmd

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
	"github.com/planlock/planlock/plan/formats"
)

// unreadable is what is wrong with a plan of which nothing could be read, as a
// diagnostic, and the exit status for it.
func unreadable(path string, err error) (plan.Diagnostic, int) {
	d := plan.Diagnostic{Severity: plan.Error, Message: err.Error(), Pos: plan.Position{File: path, Line: 1, Column: 1}}
	var size *plan.SizeError
	switch {
	case errors.As(err, &size):
		d.Code, d.Hint = "plan-too-large", "a plan is text that a person can read: split it, or move data into files of the workspace"
		return d, statusRefused
	case errors.Is(err, file.ErrNoPlan):
		d.Code, d.Hint = "plan-not-found", "name the plan's file, or a folder that holds one"
	case errors.Is(err, file.ErrManyPlans):
		d.Code, d.Hint = "plan-ambiguous", "name the plan's file instead of its folder"
	case errors.Is(err, file.ErrNotRegular):
		d.Code, d.Hint = "plan-not-a-file", "name the plan's file, or a folder that holds one"
	case errors.Is(err, fs.ErrNotExist):
		d.Code, d.Hint = "plan-not-found", "look for a typing error in the path"
	case errors.Is(err, fs.ErrPermission):
		d.Code, d.Hint = "plan-not-readable", "give yourself permission to read it: chmod u+r"
	default:
		d.Code, d.Hint = "plan-not-readable", "mend that and try again"
	}
	return d, statusCouldNot
}

// read reads a plan that is to be locked. If it is refused, what is wrong with
// it has been told. The draft's files have absolute paths, so that a run can be
// resumed from any folder.
func (p *cli) read(path string, options plan.CheckOptions) (*plan.Draft, error) {
	draft, err := formats.ReadFile(path)
	if err != nil {
		d, status := unreadable(path, err)
		d.Format(p.err, nil)
		return nil, &quietError{status}
	}
	found := draft.Check(options)
	if errors, _, _ := count(found); errors > 0 || cannotRun(found) {
		q := &cli{out: p.err, err: p.err}
		q.printDiagnostics(draft, found)
		q.printVerdict(draft, found)
		return nil, &quietError{statusRefused}
	}
	for i := range draft.Files {
		if draft.Files[i].Path, err = filepath.Abs(draft.Files[i].Path); err != nil {
			return nil, err
		}
	}
	return draft, nil
}

// cannotRun reports whether something was found that only a run minds.
func cannotRun(found []plan.Diagnostic) bool {
	return slices.ContainsFunc(found, func(d plan.Diagnostic) bool { return d.Code == plan.CannotRun })
}
