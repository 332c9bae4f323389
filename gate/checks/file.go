package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/workspace"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// maxSearched is how much of a file the checks read.
const maxSearched = 64 << 20

// fileExists: something stands at path, or where a link at path leads within
// the workspace.
func fileExists(_ context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	if kind := seen(pass, c.Path); kind != "" {
		return gate.Holds(fmt.Sprintf("%q is there (%s)", c.Path, kind)), nil
	}
	w, err := workspace.Open(pass.Dir)
	if err != nil {
		return gate.Verdict{}, err
	}
	defer w.Close()
	switch info, err := w.Stat(c.Path); {
	case err == nil:
		return gate.Holds(fmt.Sprintf("%q is there (%s)", c.Path, workspace.KindOf(info.Mode()))), nil
	case workspace.Gone(err) || workspace.LeadsOutside(err):
		return gate.Breaks(gate.Finding{Path: c.Path, Message: fmt.Sprintf("%q is not there", c.Path),
			Happened: workspace.WhyNot(err)}), nil
	default:
		return gate.Verdict{}, fmt.Errorf("checks: file_exists: %w", err)
	}
}

// seen is what stands at path in the tree that is judged, if that is a file or
// a folder. What is not in the tree may be there all the same, ignored, and
// where a link leads only a look can tell. Before a step that restoring a tree
// does not undo the disk is looked at: what somebody took away since the scan
// is found too late behind it.
func seen(pass *gate.Pass, path string) string {
	lasts := pass.Phase == gate.Before && pass.Step != nil && pass.Step.Rollback != plan.Reversible &&
		pass.Step.Rollback != ""
	if pass.After == nil || lasts {
		return ""
	}
	switch entry, _ := pass.After.Lookup(path); entry.Kind {
	case ledger.File:
		return "file"
	case ledger.Dir:
		return "folder"
	}
	return ""
}

// fileAbsent: nothing stands at path, not even a link that leads nowhere.
func fileAbsent(_ context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	w, err := workspace.Open(pass.Dir)
	if err != nil {
		return gate.Verdict{}, err
	}
	defer w.Close()
	switch info, err := w.Lstat(c.Path); {
	case workspace.Gone(err):
		return gate.Holds(fmt.Sprintf("%q is not there", c.Path)), nil
	case err == nil:
		return gate.Breaks(gate.Finding{Path: c.Path, Message: fmt.Sprintf("%q is there", c.Path),
			Happened: "a " + workspace.KindOf(info.Mode())}), nil
	default:
		return gate.Verdict{}, fmt.Errorf("checks: file_absent: %w", err)
	}
}

// fileChanged: something stands at path, and not what stood there before the
// step, or before the run where no step is judged. A folder is what it holds.
func fileChanged(_ context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	since, before := "the step", pass.Before
	if pass.Step == nil {
		since, before = "the run", pass.Base
	}
	if before == nil || pass.After == nil {
		return gate.Verdict{}, errors.New("checks: file_changed: there is nothing to compare with")
	}
	if pass.After.Level(c.Path) > ledger.Tracked {
		return gate.Verdict{}, fmt.Errorf("checks: file_changed: what %q holds is not looked at", c.Path)
	}
	was, there := before.Lookup(c.Path)
	is, left := pass.After.Lookup(c.Path)
	same := there && was.Kind == is.Kind && was.Digest == is.Digest && was.Target == is.Target
	if same && is.Kind == ledger.Dir {
		same = !slices.ContainsFunc(ledger.Diff(before, pass.After), func(d ledger.Change) bool {
			return strings.HasPrefix(d.Path, c.Path+"/")
		})
	}
	switch {
	case !left:
		return gate.Breaks(gate.Finding{Path: c.Path, Message: fmt.Sprintf("%q is not there", c.Path)}), nil
	case same:
		return gate.Breaks(gate.Finding{Path: c.Path,
			Message: fmt.Sprintf("%q is what it was before %s", c.Path, since)}), nil
	}
	return gate.Holds(fmt.Sprintf("%q is not what it was before %s", c.Path, since)), nil
}

// fileContains: the file at path holds text, or something that matches. Given
// both, both must be found.
func fileContains(_ context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	var re *regexp.Regexp
	if c.Matches != "" {
		var err error
		if re, err = regexp.Compile(c.Matches); err != nil {
			return gate.Verdict{}, fmt.Errorf("checks: file_contains: matches %q: %w", c.Matches, err)
		}
	}
	w, err := workspace.Open(pass.Dir)
	if err != nil {
		return gate.Verdict{}, err
	}
	defer w.Close()
	content, err := w.Read(c.Path, maxSearched)
	if workspace.Gone(err) || workspace.LeadsOutside(err) {
		return gate.Breaks(gate.Finding{Path: c.Path, Message: fmt.Sprintf("%q is not there", c.Path),
			Happened: workspace.WhyNot(err)}), nil
	}
	if err != nil {
		return gate.Verdict{}, fmt.Errorf("checks: file_contains: %w", err)
	}
	v := gate.Holds()
	if c.Text != "" {
		found(&v, c.Path, content, bytes.Index(content, []byte(c.Text)), "the text", c.Text)
	}
	if re != nil {
		at := -1
		if loc := re.FindIndex(content); loc != nil {
			at = loc[0]
		}
		found(&v, c.Path, content, at, "a match of", c.Matches)
	}
	return v, nil
}

// found adds to a verdict that something is in a file, with the line in which
// it begins, or that it is not. at is negative where it is not.
func found(v *gate.Verdict, path string, content []byte, at int, noun, what string) {
	if at < 0 {
		v.Result = gate.Fail
		v.Findings = append(v.Findings, gate.Finding{Path: path,
			Message:  fmt.Sprintf("%q does not contain %s %q", path, noun, what),
			Happened: fmt.Sprintf("not found in %d bytes", len(content))})
		return
	}
	line := 1 + bytes.Count(content[:at], []byte("\n"))
	v.Evidence = append(v.Evidence, fmt.Sprintf("%q contains %s %q in line %d", path, noun, what, line))
	v.Citations = append(v.Citations, gate.Citation{Path: path, Line: line, Text: what})
}
