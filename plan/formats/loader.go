package formats

import (
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
	"github.com/planlock/planlock/plan/formats/internal/phase"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
	"github.com/planlock/planlock/plan/formats/internal/spec"
	"github.com/planlock/planlock/plan/native"
)

// A loader reads one plan.
type loader struct {
	again func() (*plan.Draft, error) // reads the same again; nil: from memory
}

// file reads a file, with its other half where it has one.
func (l loader) file(path string) (*plan.Draft, error) {
	text, err := file.Read(path)
	if err != nil {
		return nil, err
	}
	format, f := detect(path, text)
	half := plan.Text{Path: path, Text: text}
	switch format {
	case plan.Native:
		return native.ReadFile(path)
	case spec.Markdown:
		if other, err := partner(path, spec.TOML); err != nil {
			return nil, err
		} else if other != nil {
			return l.pair(half, *other)
		}
	case spec.TOML:
		if other, err := partner(path, spec.Markdown); err != nil {
			return nil, err
		} else if other != nil {
			return l.pair(*other, half)
		}
	}
	return l.as(format, f, path, text)
}

// text reads one file by its content alone.
func (l loader) text(name string, text []byte) (*plan.Draft, error) {
	if err := sketch.CheckSize(name, text); err != nil {
		return nil, err
	}
	format, f := detect(name, text)
	return l.as(format, f, name, text)
}

// as reads a text whose format was found.
func (l loader) as(format plan.Format, f *front, name string, text []byte) (*plan.Draft, error) {
	switch {
	case format == plan.Native:
		return native.Read(name, text)
	case f == nil:
		return unknown(name, text)
	}
	return l.draft(f.read(name, text))
}

// draft adds what the plan leaves open, and gives it the way to be read again.
func (l loader) draft(d *plan.Draft, err error) (*plan.Draft, error) {
	if err != nil {
		return nil, err
	}
	d.Found = append(append(d.Found, unsaid(d)...), derived(d)...)
	if s := &d.Plan.ErrorPropagation.Strategy; *s == "" && !spec.Is(d.Format) {
		*s = plan.ContinueAndLog // lists and phase plans have no word for it: what does not need what failed goes on
	}
	if l.again != nil {
		d.Found = append(d.Found, summarised(d)...)
		d.From(file.Watch(file.Around(d.Files), l.again))
	}
	return d, nil
}

// pair reads both halves of a SPEC.
func (l loader) pair(markdown, toml plan.Text) (*plan.Draft, error) {
	return l.draft(spec.ReadPair(markdown, toml))
}

// phases reads all NAME-PLAN.md of a folder as one plan.
func (l loader) phases(files []plan.Text) (*plan.Draft, error) {
	return l.draft(phase.ReadSet(files))
}
