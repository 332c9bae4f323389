// Package surfaces holds what a plan says of public symbols against the files
// that declare them, as far as a machine can: what a function takes and gives,
// and whether it may fail. The rest is for reviewers.
package surfaces

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// Judge holds a surface against a file that declares its symbol: a
// contradiction is a finding, and what was compared, and what was not, is
// evidence.
func Judge(ctx context.Context, pass *gate.Pass, f *plan.Surface, file *source.File, e ledger.Entry) error {
	at := file.Declares(f.Symbol)
	signer, ok := content.Sources(pass).Language(file.Path).(source.Signer)
	if !ok {
		pass.Evidencef("surface of %q: nothing of it was compared, since nobody reads what functions of %s take and give; "+
			"it is for a reviewer", f.Symbol, file.Language)
		return nil
	}
	text, err := content.Of(ctx, pass, e)
	if err != nil {
		return err
	}
	is, ok := signer.Signature(source.Input{Path: file.Path, Content: text}, f.Symbol)
	if !ok {
		pass.Evidencef("surface of %q: it is no function (%s:%d), and nothing of it was compared; it is for a reviewer",
			f.Symbol, file.Path, at.Line)
		return nil
	}
	j := judge{pass: pass, of: f, path: file.Path, is: is}
	j.types("inputs", "takes", f.Inputs, is.Inputs, signer)
	j.types("outputs", "gives", withoutError(f.Outputs), is.Outputs, signer)
	j.errors()
	j.conclude()
	return nil
}

// judge compares one surface with one declaration.
type judge struct {
	pass     *gate.Pass
	of       *plan.Surface
	path     string
	is       source.Signature
	compared []string
	words    []string // keys that say it in words alone
	broken   bool
}

// types compares what a key says with the types of the declaration.
func (j *judge) types(key, verb string, said, is []string, signer source.Signer) {
	if said == nil {
		return
	}
	want, ok := signer.Types(bare(said))
	if !ok {
		j.words = append(j.words, key)
		return
	}
	j.compared = append(j.compared, key)
	if !slices.Equal(want, is) {
		j.breaks(key, fmt.Sprintf("it %s %s", verb, listed(is)), listed(want), listed(is))
	}
}

// errors compares whether it may fail.
func (j *judge) errors() {
	if j.of.Errors == nil {
		return
	}
	j.compared = append(j.compared, "errors")
	switch fails := len(j.of.Errors) > 0; {
	case fails && !j.is.Errors:
		j.breaks("errors", "it gives no error", strings.Join(j.of.Errors, "; "), "no error")
	case !fails && j.is.Errors:
		j.breaks("errors", "it gives an error", "no error", "an error")
	}
}

// breaks reports that the declaration contradicts a key.
func (j *judge) breaks(key, what, want, is string) {
	j.broken = true
	j.pass.Report(gate.Finding{Code: code.Surface, Path: j.path, Line: j.is.Line,
		Message:  fmt.Sprintf("the surface of %q says another thing of its %s: %s", j.of.Symbol, key, what),
		Expected: key + ": " + want, Happened: key + ": " + is})
}

// conclude says what was compared and what is left to reviewers.
func (j *judge) conclude() {
	if !j.broken && len(j.compared) > 0 {
		j.pass.Evidencef("surface of %q (%s:%d): %s as it says", j.of.Symbol, j.path, j.is.Line,
			strings.Join(j.compared, ", "))
	}
	left := j.words
	for _, l := range j.of.Lines() {
		if key, _, _ := strings.Cut(l, ":"); !slices.Contains([]string{"inputs", "outputs", "errors"}, key) {
			left = append(left, key)
		}
	}
	if len(left) > 0 {
		j.pass.Evidencef("surface of %q: not compared, for a reviewer: %s", j.of.Symbol, strings.Join(left, ", "))
	}
}

// bare are types without the words behind them.
func bare(said []string) []string {
	out := make([]string, len(said))
	for i, text := range said {
		out[i], _, _ = strings.Cut(text, ": ")
	}
	return out
}

// withoutError are outputs without an error at their end, which is a matter of
// errors.
func withoutError(outputs []string) []string {
	n := len(outputs)
	if n == 0 {
		return outputs
	}
	if last := bare(outputs[n-1:])[0]; last == "error" || strings.HasSuffix(last, " error") {
		return outputs[:n-1]
	}
	return outputs
}

// listed are types in one line.
func listed(types []string) string {
	if len(types) == 0 {
		return "nothing"
	}
	return strings.Join(types, ", ")
}
