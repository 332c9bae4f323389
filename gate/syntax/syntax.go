// Package syntax parses what changed: Go, JSON, TOML, YAML and XML. Its gate
// blocks the step (level 1) and is asked during. Whoever leaves it out links no
// parser of YAML or XML.
//
// Parsers are given what steps wrote, so one that panics has found a fault.
// Files over 4 MiB are named and not judged, so that no step can make the gate
// run out of time; files below a testdata folder are not judged, as tests keep
// broken ones there.
package syntax

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
)

// Gate is the gate that parses what changed.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "syntax",
		Doc:     "Every created or modified Go, JSON, TOML, YAML and XML file must parse; files over 4 MiB are named in the evidence instead, files below a testdata folder are not judged.",
		Version: "1", Level: gate.BlocksStep, Phases: []gate.Phase{gate.During}, Stateless: true,
	}, content.Unchanged, judgeSyntax)
}

func judgeSyntax(ctx context.Context, pass *gate.Pass) error {
	judged := 0
	for _, c := range pass.Changes {
		parse := parserOf(c.Path)
		if parse == nil || c.After == nil || c.After.Kind != ledger.File || !contentMoved(c) {
			continue
		}
		switch {
		case inTestdata(c.Path):
			pass.Evidencef("%q lies below a testdata folder and is not judged", c.Path)
			continue
		case !content.Readable(c.After):
			pass.Evidencef("%q is larger than %d bytes and is not judged", c.Path, content.Max)
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
			unparsed(pass, c.Path, f)
		}
	}
	pass.Evidencef("%d of %d changes are files that were parsed", judged, len(pass.Changes))
	return nil
}

// contentMoved reports whether the bytes of a file are new: a change of mode
// alone needs no parsing.
func contentMoved(c ledger.Change) bool {
	return c.Before == nil || c.Before.Kind != c.After.Kind || c.Before.Digest != c.After.Digest
}

func inTestdata(p string) bool { return slices.Contains(strings.Split(path.Dir(p), "/"), "testdata") }

func unparsed(pass *gate.Pass, p string, f *fault) {
	pass.Report(gate.Finding{Code: code.Syntax, Path: p, Line: f.line,
		Message: fmt.Sprintf("%q does not parse: %s", p, f.why), Expected: "a file that parses", Happened: f.why})
	pass.Cite(gate.Citation{Path: p, Line: f.line, Text: f.why})
}
