// Package limits holds a step to its size: the files and lines that it may
// change, and the folders that it must stay in. Its gate blocks the step (level 1)
// and is asked during.
//
// Created, modified and deleted files and links count as files, lines added and
// removed count together, and folders count as nothing: a limit bounds what
// somebody has to read. What is no text has no lines, and is named. Folders on
// the way to an allowed module may be created
// and deleted, since a file in it needs them.
package limits

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Gate is the gate that holds a step to its size: files and lines that it may
// change, and the folders it must stay in.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "limits",
		Doc:     "A step must not change more files than max_files or more lines than max_lines (added and removed together), and must stay within the folders of modules; folders count as nothing, links as files without lines, and so do files that are no text (a zero byte in the first 8 KiB), which the evidence names.",
		Version: "1", Level: gate.BlocksStep, Phases: []gate.Phase{gate.During}, Stateless: true,
	}, always, judgeLimits)
}

func judgeLimits(_ context.Context, pass *gate.Pass) error {
	l := pass.Step.Limits
	if l == nil {
		pass.Nothingf("the step declares no limits")
		return nil
	}
	files, lines := countFiles(pass.Changes), pass.Lines.Added+pass.Lines.Removed
	over(pass, code.LimitFiles, "file", l.MaxFiles, files)
	over(pass, code.LimitLines, "line", l.MaxLines, lines)
	if l.Modules != nil {
		outside(pass, l)
	}
	pass.Evidencef("%s and %s changed%s", plural(files, "file"), plural(lines, "line"), uncounted(pass))
	return nil
}

// uncounted names the files that changed and of which no line was counted,
// since they are no text.
func uncounted(pass *gate.Pass) string {
	var binary []ledger.Change
	for _, c := range pass.Changes {
		n, ok := pass.PerPath[c.Path]
		if ok && n.Added+n.Removed == 0 && size(c.Before)+size(c.After) > 0 {
			binary = append(binary, c)
		}
	}
	if binary == nil {
		return ""
	}
	return fmt.Sprintf("; of %s, which is no text, no lines are counted", named(binary))
}

// size is how many bytes a side of a change has.
func size(e *ledger.Entry) int64 {
	if e == nil {
		return 0
	}
	return e.Size
}

func over(pass *gate.Pass, code, what string, limit *int, got int) {
	if limit == nil || got <= *limit {
		return
	}
	mend := fmt.Sprintf("split the step or raise max_%ss", what)
	if pass.Account != nil && pass.Plan != nil && !pass.Plan.Profile.Records() {
		if extra := named(pass.Account.Extra); extra != "" {
			mend = "nobody declared " + extra
		}
	}
	pass.Report(gate.Finding{Code: code,
		Message: fmt.Sprintf("%s changed in %s, and the step allows %d; %s",
			plural(got, what), named(pass.Changes), *limit, mend),
		Expected: "at most " + plural(*limit, what), Happened: plural(got, what)})
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// named names the files that changed, as far as they are few.
func named(changes []ledger.Change) string {
	const few = 3
	var names []string
	for _, c := range changes {
		if c.Kind() != ledger.Dir {
			names = append(names, ledger.Quote(c.Path))
		}
	}
	if len(names) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
	}
	return strings.Join(names, ", ")
}

// countFiles counts what was created, modified and deleted, without folders.
func countFiles(changes []ledger.Change) int {
	n := 0
	for _, c := range changes {
		if !content.IsFolder(c) {
			n++
		}
	}
	return n
}

func outside(pass *gate.Pass, l *plan.Limits) {
	expected := "no change at all"
	if len(l.Modules) > 0 {
		expected = "changes within " + strings.Join(l.Modules, ", ")
	}
	for _, c := range pass.Changes {
		if l.Allows(c.Path) || content.IsFolder(c) && c.Op != ledger.Modified && onTheWay(c.Path, l.Modules) {
			continue
		}
		pass.Report(gate.Finding{Code: code.LimitModules, Path: c.Path,
			Message:  fmt.Sprintf("%q lies in none of the folders that the step may change", c.Path),
			Expected: expected, Happened: say.Change(c)})
	}
}

// onTheWay reports whether a folder lies above one of the modules, so that it
// belongs to it where it was created or deleted.
func onTheWay(folder string, modules []string) bool {
	for _, m := range modules {
		for m = path.Dir(path.Clean(m)); m != "." && m != "/"; m = path.Dir(m) {
			if m == folder || ledger.IsGlob(m) && ledger.Match(m, folder) {
				return true
			}
		}
	}
	return false
}

func always(*gate.Pass) bool { return true }
