package spec

import (
	"sync"

	"github.com/planlock/planlock/plan"
)

// maxSize is the size up to which a half is read.
const maxSize = 16 << 20

// Read reads one half alone, by the ending of its name. The error is a *[plan.SizeError]; all that is wrong with
// the text is in the draft's Found, and that the other half is missing is one of it.
func Read(name string, text []byte) (*plan.Draft, error) {
	if isTOML(name) {
		return read(plan.Text{}, plan.Text{Path: name, Text: text})
	}
	return read(plan.Text{Path: name, Text: text}, plan.Text{})
}

// ReadPair reads both halves and joins them. Tasks, steps and backups are matched by id.
func ReadPair(markdown, toml plan.Text) (*plan.Draft, error) {
	return read(markdown, toml)
}

func read(markdown, toml plan.Text) (*plan.Draft, error) {
	parts, err := parts(markdown, toml)
	if err != nil {
		return nil, err
	}
	return plan.Assemble(parts), nil
}

func parts(markdown, toml plan.Text) (plan.Parts, error) {
	p := plan.Parts{}
	j := &judged{}
	for _, t := range [...]plan.Text{markdown, toml} {
		if t.Path == "" {
			continue
		}
		if len(t.Text) > maxSize {
			return p, &plan.SizeError{Name: t.Path, Size: int64(len(t.Text)), Max: maxSize}
		}
		p.Files = append(p.Files, t)
	}
	var both sync.WaitGroup
	if markdown.Path != "" {
		both.Go(func() { j.markdown = readMarkdown(newFile(markdown.Path, markdown.Text)) })
	}
	if toml.Path != "" {
		both.Go(func() { j.toml = readParameters(newFile(toml.Path, toml.Text)) })
	}
	both.Wait()
	var m making
	switch {
	case j.toml == nil:
		p.Format, m = plan.SpecMarkdown, j.markdown.plan()
	case j.markdown == nil:
		p.Format, m = plan.SpecTOML, j.toml.plan()
	default:
		p.Format = plan.SpecPair
		j.settle()
		m = join(j.markdown, j.toml)
		for _, h := range [...]*half{j.markdown, j.toml} {
			side := h.plan()
			p.Sides = append(p.Sides, plan.Side{Name: h.side, File: h.file.name, Goals: h.goalTexts(), Plan: side.plan, Places: side.places})
		}
	}
	p.Plan, p.Places = m.plan, m.places
	p.Found = j.judge()
	return p, nil
}

func (h *half) goalTexts() []string {
	list := []string{}
	for _, g := range h.goals {
		if g.text != "" {
			list = append(list, g.text)
		}
	}
	return list
}
