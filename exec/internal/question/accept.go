package question

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// acceptedNamed is how many changes are named in the words that accept them; of
// more there is the number, and the evidence names them.
const acceptedNamed = 3

// choiceAccept takes what an attempt did beyond its declaration into the plan's
// record, and what a person says of files that nobody could read. It widens what
// was approved, so it wants words that name that.
func choiceAccept(s *history.Step, grant *history.Addendum, words string) ask.Choice {
	if grant.Artifacts == nil && len(grant.Unread) > 0 {
		return ask.Choice{Key: choice.Accept,
			Label: fmt.Sprintf("accept it: you looked, and it keeps what %s promises", s.Address),
			Consequence: "what the attempt did is put back and judged anew, and what nobody could say of these files is " +
				"taken from you; the record keeps your word",
			Acknowledge: words}
	}
	return ask.Choice{Key: choice.Accept, Label: fmt.Sprintf("accept it: it belongs to %s from now on", s.Address),
		Consequence: "what the attempt did is put back and judged anew, with these changes declared; the record keeps your word",
		Acknowledge: words}
}

// choiceRevert takes back what an attempt did beyond its declaration, and keeps
// the rest. There is none where anything but files is too much.
func choiceRevert(f *history.AttemptFailed, a *history.Attempt, limits *plan.Limits) []ask.Choice {
	account := a.Accounted.Account
	if len(account.Extra) == 0 || len(account.Matching) == 0 || len(account.SymbolsExtra) > 0 ||
		slices.ContainsFunc(f.Findings, func(f gate.Finding) bool { return !revertMends(f, a.Accounted, limits) }) {
		return nil
	}
	of, back := "files", "go back to what they were"
	if slices.ContainsFunc(account.Extra, func(c ledger.Change) bool { return c.Kind() == ledger.Dir }) {
		of = "files and folders"
	}
	what := fmt.Sprintf("%d %s", len(account.Extra), of)
	if len(account.Extra) <= acceptedNamed {
		var names []string
		for _, c := range account.Extra {
			names = append(names, c.Path)
		}
		what = strings.Join(names, " and ")
	}
	if len(account.Extra) == 1 {
		back = "goes back to what it was"
	}
	return []ask.Choice{{Key: choice.Revert, Label: "revert it alone: keep the rest",
		Consequence: what + " " + back + "; the rest is put back and judged anew"}}
}

// revertMends reports whether what a finding says does not hold any more once the
// files are reverted that are too much.
func revertMends(f gate.Finding, done *history.Accounted, limits *plan.Limits) bool {
	var left []ledger.Change
	for _, c := range done.Changes {
		extra := slices.ContainsFunc(done.Account.Extra, func(x ledger.Change) bool { return x.Path == c.Path })
		if !extra && c.Kind() != ledger.Dir {
			left = append(left, c)
		}
	}
	switch {
	case f.Code == code.ArtifactExtra:
		return true
	case f.Code == code.LimitFiles:
		return limits != nil && limits.MaxFiles != nil && len(left) <= *limits.MaxFiles
	case f.Code == code.LimitModules:
		return limits != nil && !slices.ContainsFunc(left, func(c ledger.Change) bool {
			return !slices.Contains(limits.Modules, path.Dir(c.Path))
		})
	}
	return false
}

// acceptable says what would have to be declared for the step's latest attempt
// to hold, and the words that a person accepts it with. It is nil where a
// person's word is not enough: where something else is wrong as well (a
// non-goal above all; what nobody could read is not wrong, and a person may have
// looked), where the tree is not kept or its effects have been
// compensated, and for files that no step may touch.
func acceptable(c *guard.Case, f *history.AttemptFailed) (*history.Addendum, string) {
	s := c.Step
	a := s.Last()
	if f == nil || f.Class != history.Breach && f.Class != history.Undecided ||
		a == nil || a.Accounted == nil || a.Accounted.Whole != "" ||
		a.Discarded == (record.Snapshot{}) || a.Compensated != nil {
		return nil, ""
	}
	over := map[string]bool{}
	grant := &history.Addendum{}
	for _, finding := range f.Findings {
		if ledger.Reserved(finding.Path) {
			return nil, ""
		}
		switch finding.Code {
		case code.Unread:
			grant.Unread = append(grant.Unread, finding.Path)
		case code.ArtifactExtra, code.SymbolExtra, code.LimitFiles, code.LimitLines,
			code.LimitModules:
			over[finding.Code] = true
		default:
			return nil, ""
		}
	}
	var words []string
	account := a.Accounted.Account
	if len(account.Missing) > 0 || len(f.Findings) == 0 {
		return nil, ""
	}
	// Of gates that said no, the first is heard; what the others would say
	// stands in the account.
	if task, step := c.Place(); over[code.ArtifactExtra] || over[code.SymbolExtra] ||
		c.Plan.Binds(task, step) && len(account.Extra)+len(account.SymbolsExtra) > 0 {
		var ok bool
		if grant.Artifacts, words, ok = declare(a.Accounted); !ok {
			return nil, ""
		}
	}
	_, step := c.Place()
	step = s.Granted(step)
	words = append(words, limitsOf(grant, a.Accounted, step, over)...)
	words = append(words, unreadOf(grant)...)
	return grant, "accept " + strings.Join(words, " and ")
}

// unreadOf names the source files that a person has to look at, since nobody
// could read them.
func unreadOf(grant *history.Addendum) []string {
	slices.Sort(grant.Unread)
	grant.Unread = slices.Compact(grant.Unread)
	switch n := len(grant.Unread); {
	case n == 0:
		return nil
	case n > acceptedNamed:
		return []string{fmt.Sprintf("%d files unread", n)}
	}
	return []string{strings.Join(grant.Unread, " and ") + " unread"}
}

// declare is what an account has too much, as a declaration. It is not ok where
// a path could not be declared by its name alone, or belongs to a repository or
// to planlock.
func declare(done *history.Accounted) (*ledger.Declared, []string, bool) {
	d, account := &ledger.Declared{}, done.Account
	var names []string
	for _, c := range account.Extra {
		if strings.ContainsAny(c.Path, `*?[]{}\`) || !utf8.ValidString(c.Path) || ledger.Reserved(c.Path) {
			return nil, nil, false
		}
		switch c.Op {
		case ledger.Created:
			d.Create = append(d.Create, c.Path)
		case ledger.Modified:
			d.Modify = append(d.Modify, c.Path)
		case ledger.Deleted:
			d.Delete = append(d.Delete, c.Path)
		}
		names = append(names, c.Path)
	}
	for _, s := range account.SymbolsExtra {
		names = append(names, s.Name)
	}
	symbols := account.SymbolsExtra
	if len(symbols) > 0 && done.Declared.Public { // once some are declared, all are accounted
		symbols = done.Symbols
	}
	for _, s := range symbols {
		if s.Op == ledger.Deleted {
			d.SymbolsRemove = append(d.SymbolsRemove, s.Name)
		} else {
			d.SymbolsAdd = append(d.SymbolsAdd, s.Name)
		}
	}
	if len(names) > acceptedNamed {
		names = []string{fmt.Sprintf("%d changes", len(names))}
	}
	return d, names, len(names) > 0
}

// limitsOf raises the limits that were exceeded to what the attempt needed,
// each of them in the words.
func limitsOf(grant *history.Addendum, done *history.Accounted, step *plan.Step, over map[string]bool) []string {
	var words []string
	if over[code.LimitFiles] {
		n := 0
		for _, c := range done.Changes {
			if c.Kind() != ledger.Dir {
				n++
			}
		}
		grant.MaxFiles = &n
		words = append(words, fmt.Sprintf("%d files", n))
	}
	if over[code.LimitLines] {
		n := done.Lines.Added + done.Lines.Removed
		grant.MaxLines = &n
		words = append(words, fmt.Sprintf("%d lines", n))
	}
	if over[code.LimitModules] {
		grant.Modules = slices.Clone(step.Limits.Modules)
		for _, c := range done.Changes {
			if dir := path.Dir(c.Path); c.Kind() != ledger.Dir && !slices.Contains(grant.Modules, dir) {
				grant.Modules = append(grant.Modules, dir)
			}
		}
		words = append(words, "folders "+strings.Join(grant.Modules[len(step.Limits.Modules):], " "))
	}
	return words
}

// Addendum makes an answer part of the plan's record, chained to what is there.
func Addendum(c *guard.Case, q ask.Question, a ask.Answer) *history.Addendum {
	add := history.Addendum{Step: c.Step.Address, Question: q.ID, Kind: q.Kind, Choice: a.Choice,
		Acknowledged: a.Acknowledged, Reason: a.Reason, By: a.By}
	if a.Choice == choice.Accept {
		if grant, _ := acceptable(c, c.Step.Last().Failure); grant != nil {
			add.Artifacts, add.MaxFiles, add.MaxLines, add.Modules, add.Unread = grant.Artifacts, grant.MaxFiles,
				grant.MaxLines, grant.Modules, grant.Unread
		}
	}
	add = add.Seal(len(c.Run.Addenda)+1, c.Run.RecordDigest())
	return &add
}
