package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// stopped reports whether the step's last word was no.
func (s *step) stopped() bool {
	return s.Status == history.Failed || !s.Status.Over() && s.trouble() != nil
}

// failure writes what a failed step was expected to do and what happened.
func (w *page) failure(s *step) {
	if !s.stopped() {
		return
	}
	w.line("")
	w.wrap(" ✗ ", "   ", s.verdict())
	if s.Refusal != nil {
		w.findings(s.Refusal.Findings)
	} else if a := s.lastFailure(); a != nil {
		w.table(differences(a.Ledger))
		w.findings(a.Failure.Findings)
		if len(a.Failure.Findings) == 0 {
			w.wrap("   printed  ", "            ", a.output())
		}
	}
	for _, j := range s.Gates {
		if j.Blocks && (s.Refusal == nil || len(s.Refusal.Findings) == 0) {
			w.gate(j)
		}
	}
	for _, line := range s.aftermath() {
		w.wrap("   ", "   ", line)
	}
}

// verdict names a failed step, what its failure means, and why.
func (s *step) verdict() string {
	if f := s.Failure; f != nil {
		after := ""
		if n := len(s.Attempts); n > 1 {
			after = fmt.Sprintf(" after %d attempts", n)
		}
		return fmt.Sprintf("%s failed%s: %s%s", s.Address, after, s.meaning(), because(f.Reasons))
	}
	f, yet := s.trouble(), " yet"
	if s.of.of.Ended != nil {
		yet = ""
	}
	return fmt.Sprintf("%s has not succeeded%s: %s%s", s.Address, yet, meaning(f.Class), because(f.Reasons))
}

// because are reasons as the end of a sentence; "" where there are none.
func because(reasons []string) string {
	if len(reasons) == 0 {
		return ""
	}
	return ": " + strings.Join(reasons, "; ")
}

// aftermath says what a failure left behind.
func (s *step) aftermath() []string {
	a := s.lastFailure()
	if s.Refusal != nil || a == nil || a.Ledger == nil && a.Discarded == nil {
		return nil
	}
	done := "was"
	if s.restoring {
		done = "is being"
	}
	var lines []string
	if s.Failure != nil && a.Failure.Class == history.Breach {
		lines = append(lines, "Why it matters: "+history.Unapproved+".")
	}
	out := fmt.Sprintf("The tree %s restored to the checkpoint before %s", done, s.Address)
	if s.Checkpoint != nil {
		out += " (tree " + s.Checkpoint.Tree.Digest.Short() + ")"
	}
	if len(a.of.Stays) > 0 {
		out += ", but for " + names(a.of.Stays) + ", which the plan only tracks: that stays as the attempt left it"
	}
	switch {
	case a.Discarded != nil && s.Checkpoint != nil && a.Discarded.Digest == s.Checkpoint.Tree.Digest:
		out += "; there was nothing to undo in it"
	case a.Discarded != nil:
		out += "; what was undone is kept as tree " + a.Discarded.Digest.Short()
	}
	out += "."
	if s.Rollback == plan.Irreversible {
		out += " The step is irreversible: what it did outside of the workspace is not undone."
	}
	if a.outside() {
		out += " Its executor said that something outside of the workspace was changed: that is not undone, so that the same is not tried again by itself."
	}
	lines = append(lines, out)
	if c := a.compensation(); c != "" {
		lines = append(lines, "I"+c[1:]+".")
	}
	return lines
}

// names are paths as they stand in a sentence.
func names(paths []string) string {
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = ledger.Quote(p)
	}
	return strings.Join(quoted, ", ")
}

// outside reports whether the executor said that it changed something outside of
// the workspace.
func (a *attempt) outside() bool { return a.Said != nil && a.Said.Stateful }

// beyond reports whether an attempt of the step that failed did.
func (s *step) beyond() bool {
	return slices.ContainsFunc(s.Attempts, func(a *attempt) bool { return a.Failure != nil && a.outside() })
}

// A row of the table that sets what was expected against what happened.
type row struct{ Label, Text, Note string }

// differences sets declared against actual; nil if they are the same, nothing
// was accounted, or nothing had to be declared.
func differences(e *entry) []row {
	if e == nil || e.holds() || e.unsaid {
		return nil
	}
	var out []row
	add := func(label, text, note string) {
		if len(out) > 0 && slices.ContainsFunc(out, func(r row) bool { return r.Label == label }) {
			label = ""
		}
		out = append(out, row{label, text, note})
	}
	for _, c := range e.Matching {
		add("expected", verb(string(c.Op))+" "+c.Shown(), "")
	}
	for _, m := range e.Missing {
		add("expected", m.said(), "did not happen")
	}
	if len(out) == 0 {
		add("expected", "no change", "")
	}
	first := len(out)
	for _, c := range e.Matching {
		add("happened", verb(string(c.Op))+" "+c.Shown(), "")
	}
	for _, c := range e.Extra {
		add("happened", verb(string(c.Op))+" "+c.Shown(), "not declared")
	}
	for _, s := range e.SymbolsExtra {
		add("happened", symbolVerb(string(s.Op))+" "+safetext.Escape(s.Name), "not declared"+at(s.Shown(), s.Line))
	}
	if len(out) == first {
		add("happened", "nothing", "")
	}
	return out
}

// said is what was expected of a path, or of a symbol.
func (e expectation) said() string {
	if e.Symbol != "" {
		return symbolVerb(string(e.Op)) + " " + safetext.Escape(e.Symbol)
	}
	return verb(string(e.Op)) + " " + e.Shown()
}

// name is the artifact that was expected: a path, or a symbol.
func (e expectation) name() string {
	if e.Symbol != "" {
		return "symbol " + safetext.Escape(e.Symbol)
	}
	return e.Shown()
}

// verb is what a plan calls a change that the ledger names: "create" for
// "created".
func verb(op string) string {
	return map[string]string{"created": "create", "modified": "modify", "deleted": "delete"}[op]
}

// symbolVerb is the same for symbols.
func symbolVerb(op string) string {
	if op == "deleted" {
		return "remove symbol"
	}
	return "add symbol"
}

// at is the place of a symbol or of a finding, as the end of a sentence; ""
// where there is none.
func at(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line > 0:
		return fmt.Sprintf(" at %s:%d", file, line)
	}
	return " at " + file
}

// table writes what was expected against what happened.
func (w *page) table(rows []row) {
	for i, r := range rows {
		if i == 0 {
			w.line("")
		}
		text := fmt.Sprintf("   %-10s %s", r.Label, r.Text)
		if r.Note != "" {
			text += "   ← " + r.Note
		}
		w.wrap(text[:14], strings.Repeat(" ", 14), text[14:])
	}
	if len(rows) > 0 {
		w.line("")
	}
}

// findings writes what gates found, each with what they expected.
func (w *page) findings(fs []finding) {
	for _, f := range fs {
		w.wrap("   • ", "     ", f.line())
		if f.Expected != "" {
			w.wrap("       expected  ", "                 ", f.Expected)
		}
		if f.Happened != "" {
			w.wrap("       happened  ", "                 ", f.Happened)
		}
	}
}

// line is a finding as compilers write it: path:line: message [code].
func (f finding) line() string {
	out := f.Message
	if place := strings.TrimPrefix(at(f.Shown(), f.Line), " at "); place != "" {
		out = place + ": " + out
	}
	if f.Code != "" {
		out += " [" + f.Code + "]"
	}
	return out
}
