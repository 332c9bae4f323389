// Package syntax parses what changed: JSON, TOML, YAML, XML, and programs in the
// languages that somebody reads. Its gate blocks the step (level 1) and is asked
// during. Whoever leaves it out links no parser of YAML or XML.
//
// Parsers are given what steps wrote, so one that panics has found a fault.
// Files over 4 MiB are named and not judged, so that no step can make the gate
// run out of time; files below a testdata folder are not judged, as tests keep
// broken ones there.
package syntax

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
)

// Gate is the gate that parses what changed.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "syntax",
		Doc:     "Every created or modified JSON, TOML, YAML and XML file must parse, and every source file in a language that is read (docs/languages.md); files that nobody can read, or of more than 4 MiB, are named in the evidence instead, files below a testdata folder are not judged.",
		Version: "2", Level: gate.BlocksStep, Phases: []gate.Phase{gate.During}, Stateless: true,
	}, content.Unchanged, judgeSyntax)
}

func judgeSyntax(ctx context.Context, pass *gate.Pass) error {
	judged, err := programs(ctx, pass)
	if err != nil {
		return err
	}
	for _, c := range pass.Changes {
		parse := parserOf(c.Path)
		if parse == nil || c.After == nil || c.After.Kind != ledger.File || !contentMoved(c) || left(pass, c) {
			continue
		}
		if !content.Readable(c.After) {
			pass.Nothingf("%q is larger than %d bytes and is not judged", c.Path, content.Max)
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return fmt.Errorf("syntax: %w", err)
		}
		text, err := content.Of(ctx, pass, *c.After)
		if err != nil {
			return err
		}
		judged++
		if f := parse(c.Path, text); f != nil {
			unparsed(pass, c.Path, source.Fault{Line: f.line, Why: f.why})
		}
	}
	said := pass.Evidencef
	if judged == 0 {
		said = pass.Nothingf
	}
	said("changes that were parsed: %d of %d", judged, len(pass.Changes))
	return nil
}

// programs judges the source files that changed, and says how many. One that
// nobody could read is named.
func programs(ctx context.Context, pass *gate.Pass) (judged int, err error) {
	pairs, err := content.ChangedSources(ctx, pass)
	if err != nil {
		return 0, err
	}
	after := map[string]*source.File{}
	for _, p := range pairs {
		after[p.Path] = p.After
	}
	for _, c := range pass.Changes {
		f := after[c.Path]
		switch {
		case f == nil || left(pass, c):
		case f.Unread != "":
			pass.Nothingf("%q is not judged: %s", c.Path, f.Unread)
		case f.Partly != "":
			pass.Nothingf("%q is not judged: %s", c.Path, f.Partly)
		default:
			judged++
			if len(f.Faults) > 0 {
				unparsed(pass, c.Path, f.Faults[0])
			}
		}
	}
	return judged, nil
}

// left reports whether a file is not judged, which is said.
func left(pass *gate.Pass, c ledger.Change) bool {
	if !source.InTestdata(c.Path) {
		return false
	}
	pass.Nothingf("%q lies below a testdata folder and is not judged", c.Path)
	return true
}

// contentMoved reports whether the bytes of a file are new: a change of mode
// alone needs no parsing.
func contentMoved(c ledger.Change) bool {
	return c.Before == nil || c.Before.Kind != c.After.Kind || c.Before.Digest != c.After.Digest
}

// unparsed objects that a file does not parse.
func unparsed(pass *gate.Pass, p string, f source.Fault) {
	pass.Report(gate.Finding{Code: code.Syntax, Path: p, Line: f.Line,
		Message: fmt.Sprintf("%q does not parse: %s", p, f.Why), Expected: "a file that parses", Happened: f.Why})
	pass.Cite(gate.Citation{Path: p, Line: f.Line, Text: f.Why})
}
