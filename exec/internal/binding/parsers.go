package binding

import (
	"context"
	"slices"
	"strings"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
)

const parserOf = "parser:"

// parsers are those of the languages of which the workspace had files when the
// run began, or the plan names some, or lets a step write some: what they read
// decides what a step is said to have changed. They are asked once, as the
// programs of this process do not move.
func (b *Binding) parsers(ctx context.Context) (all []envelope.Component) {
	if b.Sources == nil {
		return nil
	}
	bound := b.Rec.Run.Started.Envelope
	read := map[string]bool{}
	for _, l := range b.Sources.Languages {
		versioned, ok := l.(source.Versioned)
		name := parserOf + l.Name()
		switch {
		case !ok, read[name]:
			continue
		case bound == nil && !b.concerns(l),
			bound != nil && !slices.ContainsFunc(bound.Components,
				func(c envelope.Component) bool { return c.Name == name }):
			continue
		}
		read[name] = true
		c, asked := b.parsed[name]
		if !asked {
			c = envelope.Component{Name: name}
			if text, err := versioned.ParserVersion(ctx); err != nil {
				c.Text = "it does not say its version"
			} else {
				c.Text, c.Digest = text, ledger.Sum([]byte(text))
			}
			if ctx.Err() != nil {
				return nil // what it says then is none of it
			}
			if b.parsed == nil {
				b.parsed = map[string]envelope.Component{}
			}
			b.parsed[name] = c
		}
		all = append(all, c)
	}
	if bound == nil {
		return all
	}
	for _, c := range bound.Components {
		if strings.HasPrefix(c.Name, parserOf) && !read[c.Name] {
			all = append(all, envelope.Component{Name: c.Name, Text: "nobody reads it here"})
		}
	}
	return all
}

// concerns reports whether a file of the workspace, or one that the plan lets a step
// write, is or may be of a language.
func (b *Binding) concerns(l source.Language) bool {
	may := func(pattern string) bool { return mayRead(l, pattern) }
	for i := range b.Plan.Tasks {
		t := &b.Plan.Tasks[i]
		if slices.ContainsFunc(t.Files, may) || slices.ContainsFunc(t.PlanFiles, may) {
			return true
		}
		for _, s := range t.Steps {
			a := s.Artifacts
			if a != nil && (slices.ContainsFunc(a.Create, may) || slices.ContainsFunc(a.Modify, may)) {
				return true
			}
			if s.Access != nil && slices.ContainsFunc(s.Access.Writes, may) {
				return true
			}
		}
	}
	for e := range b.Work.Base.All() {
		if e.Kind == ledger.File && l.Reads(e.Path) {
			return true
		}
	}
	return false
}

// mayRead reports whether a file that a path or a glob names may be of a language:
// one whose end is not said may be of any.
func mayRead(l source.Language, pattern string) bool {
	last := strings.LastIndexAny(pattern, "*?]}")
	if last <= strings.LastIndexByte(pattern, '/') {
		return l.Reads(pattern)
	}
	end := pattern[last+1:]
	return !strings.Contains(end, ".") || l.Reads("x"+end)
}
