// Package artifacts compares what a step declared with what it changed.
// Its gate blocks the step (level 1) and is asked after an attempt.
//
// A path declared as created or modified must end as a regular file: a folder
// only where one stood or is created, a link only where it is relative and
// stays in the workspace, no special file, no new setuid, setgid or sticky bit,
// and no hard link to outside. A link is followed in the tree, and what it
// leads to need not be there. A glob of created paths is not kept by folders
// that hold nothing. Under the profile observe a path that nobody declared is
// recorded instead of refused. Symbols are accounted where a step says which it
// changes, under every profile; where it says nothing, no public symbol may come
// or go under the profile strict.
package artifacts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
)

// Gate is the gate that compares what the step declared with what changed.
// Every difference is a finding of its own.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "artifacts",
		Doc:     "What a step changed must be exactly what it declared: every declared path and symbol, and nothing else; under the profile observe what nobody declared is recorded instead; under scoped what the plan names for a step may change, and nothing else. Where a step does not say which symbols it adds and removes, no public one may come or go under strict; where it does, a source file that nobody can read fails (docs/languages.md). What the plan says that a public symbol takes and gives, and whether it may fail, must be so in the changed file that declares it, where the language is Go. A path declared as created or modified must end as a regular file: a folder only where one stood or is created, a link only where it is relative and stays in the workspace, no special file, no new setuid, setgid or sticky bit, and no hard link to outside.",
		Version: "2", Level: gate.BlocksStep, Phases: []gate.Phase{gate.After}, Stateless: true,
	}, content.Unchanged, judgeArtifacts)
}

// judgeArtifacts says all that does not agree, not the first of it: whoever
// mends the step, or accepts what it did, must see the whole.
func judgeArtifacts(ctx context.Context, pass *gate.Pass) error {
	if err := surfacesOf(ctx, pass); err != nil {
		return err
	}
	account := accountOf(pass)
	binds := pass.Plan.Binds(pass.Task, pass.Step)
	if !binds && pass.Step.Artifacts == nil {
		for _, c := range account.Extra {
			recorded(pass, c, pass.Nothingf)
		}
		pass.Nothingf("the step declares nothing")
		return nil
	}
	stood := overwritten(account)
	for _, m := range account.Missing {
		pass.Report(missing(m, stood))
	}
	extras(pass, account, binds)
	unread(pass)
	if err := kinds(pass, declaredBy(pass), account.Matching); err != nil {
		return err
	}
	pass.Evidencef("changes that were declared: %d of %d", len(account.Matching),
		len(account.Matching)+len(account.Extra))
	return nil
}

// accountOf is the account of the pass, or one that is made here for a host
// that has none.
func accountOf(pass *gate.Pass) *ledger.Account {
	if pass.Account != nil {
		return pass.Account
	}
	account := ledger.Reconcile(declaredBy(pass), pass.Changes, pass.Symbols)
	return &account
}

// declaredBy is what a step declared; a step that says nothing declared
// nothing.
func declaredBy(pass *gate.Pass) ledger.Declared { return pass.Plan.Declared(pass.Task, pass.Step) }

// overwritten lists by path the changes of what stood before the step and
// stands after it, and was not declared as modified.
func overwritten(account *ledger.Account) map[string]ledger.Change {
	m := map[string]ledger.Change{}
	for _, c := range account.Extra {
		if c.Op == ledger.Modified {
			m[c.Path] = c
		}
	}
	return m
}

// missing says that something declared did not happen. A path that stood before
// the step cannot be created, and is told apart, since the mend is another one.
func missing(m ledger.Expectation, stood map[string]ledger.Change) gate.Finding {
	if m.Symbol != "" {
		return gate.Finding{Code: code.SymbolMissing,
			Message:  fmt.Sprintf("symbol %q is declared as %s, but was not", m.Symbol, say.Symbol(m.Op)),
			Expected: fmt.Sprintf("symbol %q %s", m.Symbol, say.Symbol(m.Op)), Happened: "nothing of the kind"}
	}
	if c, ok := stood[m.Path]; ok && m.Op == ledger.Created && m.Path != "" {
		return gate.Finding{Code: code.ArtifactMissing, Path: m.Path,
			Message:  fmt.Sprintf("%q is declared as created, and was there before the step: declare modify, or delete it first", m.Path),
			Expected: fmt.Sprintf("nothing at %q before the step", m.Path), Happened: say.Change(c)}
	}
	return gate.Finding{Code: code.ArtifactMissing, Path: m.Path,
		Message:  fmt.Sprintf("%q is declared as %s, but was not", m.Path, m.Op),
		Expected: fmt.Sprintf("%s %q", m.Op, m.Path), Happened: "nothing of the kind"}
}

// unread objects to the source files of which nobody can say which symbols came
// and went, where the step says which.
func unread(pass *gate.Pass) {
	if a := pass.Step.Artifacts; a == nil || a.SymbolsAdd == nil && a.SymbolsRemove == nil {
		return
	}
	for _, u := range pass.Unread {
		content.Undecided(pass, u.Path, "only the declared symbols were added and removed", []string{u.Why})
	}
}

// extras says what happened without being declared: a fault, or where the plan
// does not bind the step something that is recorded.
func extras(pass *gate.Pass, account *ledger.Account, binds bool) {
	for _, c := range account.Extra {
		if !binds {
			recorded(pass, c, pass.Evidencef)
			continue
		}
		pass.Report(gate.Finding{Code: code.ArtifactExtra, Path: c.Path,
			Message:  fmt.Sprintf("%q was %s, and nobody declared that%s", c.Path, c.Op, ofCache(c.Path)),
			Expected: fmt.Sprintf("%q left as it was", c.Path), Happened: say.Change(c)})
	}
	for _, s := range account.SymbolsExtra { // of a step that says which it changes, and public ones under strict
		pass.Report(gate.Finding{Code: code.SymbolExtra, Path: s.Path, Line: s.Line,
			Message:  fmt.Sprintf("%ssymbol %q was %s, and nobody declared that", public(s), s.Name, say.Symbol(s.Op)),
			Expected: fmt.Sprintf("symbol %q not %s", s.Name, say.Symbol(s.Op)),
			Happened: fmt.Sprintf("%s in %s:%d", say.Symbol(s.Op), s.Path, s.Line)})
	}
}

// public tells a symbol that others can use from one that only the step needs.
func public(s ledger.Symbol) string {
	if s.Public {
		return "public "
	}
	return ""
}

// recorded notes what happened without being declared, where that is no fault.
func recorded(pass *gate.Pass, c ledger.Change, note func(format string, args ...any)) {
	note("%q was %s without being declared (recorded, as the profile is %s)", c.Path, c.Op, pass.Plan.Profile)
}

// caches are folders that tools leave, by name.
var caches = []string{"__pycache__", "node_modules", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".venv", ".tox", "target",
	".gradle", ".next", "coverage", ".nyc_output"}

// ofCache is what to add where a path lies in a folder that a tool leaves.
func ofCache(path string) string {
	for name := range strings.SplitSeq(path, "/") {
		if slices.Contains(caches, name) {
			return fmt.Sprintf("; if that is a cache, add  [ledger] ignore = [%q]  to the plan or, where it is not strict, the line  %s/  to .gitignore",
				"**/"+name, name)
		}
	}
	return ""
}
