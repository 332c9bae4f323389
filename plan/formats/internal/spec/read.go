package spec

import (
	"sync"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// Read reads one half alone, by the ending of its name. The error is a *[plan.SizeError];
// all that is wrong with the text is in the draft's Found, and that the other
// half is missing is one of it.
func Read(name string, text []byte) (*plan.Draft, error) {
	if isTOML(name) {
		return read(nil, &plan.Text{Path: name, Text: text})
	}
	return read(&plan.Text{Path: name, Text: text}, nil)
}

// ReadPair reads both halves and joins them. Tasks, steps and backups are
// matched by id.
func ReadPair(markdown, toml plan.Text) (*plan.Draft, error) {
	return read(&markdown, &toml)
}

// read reads the halves that are there.
func read(markdown, toml *plan.Text) (*plan.Draft, error) {
	parts, err := parts(markdown, toml)
	if err != nil {
		return nil, err
	}
	return plan.Assemble(parts), nil
}

// parts reads both halves side by side, joins them and judges them, all at
// once where nothing waits for anything: files of some megabytes take half the
// time.
func parts(markdown, toml *plan.Text) (plan.Parts, error) {
	p := plan.Parts{Stepless: true}
	j := &judged{}
	for _, t := range [...]*plan.Text{markdown, toml} {
		if t == nil {
			continue
		}
		if err := sketch.CheckSize(t.Path, t.Text); err != nil {
			return p, err
		}
		p.Files = append(p.Files, *t)
	}
	var work sync.WaitGroup
	if markdown != nil {
		work.Go(func() { j.markdown = readMarkdown(outline.New(markdown.Path, markdown.Text)) })
	}
	if toml != nil {
		work.Go(func() { j.toml = readParameters(outline.New(toml.Path, toml.Text)) })
	}
	work.Wait()
	if p.Format = j.format(); p.Format == Pair {
		j.settle()
		p.Sides = make([]plan.Side, 2)
		work.Go(func() { p.Sides[0] = j.markdown.asSide() })
		work.Go(func() { p.Sides[1] = j.toml.asSide() })
	}
	work.Go(func() { p.Found = j.judge() })
	m := j.plan()
	work.Wait()
	p.Plan, p.Position = m.plan, m.places.Position
	return p, nil
}

// format tells a pair from a half that is alone.
func (j *judged) format() plan.Format {
	switch {
	case j.toml == nil:
		return Markdown
	case j.markdown == nil:
		return TOML
	}
	return Pair
}

// plan is the joined plan, or that of the only half.
func (j *judged) plan() making {
	if j.markdown == nil {
		return j.toml.plan()
	}
	return join(j.markdown, j.toml)
}

// asSide is the half as read on its own, for whoever compares the two.
func (h *half) asSide() plan.Side {
	m := h.plan()
	return plan.Side{Name: h.side, File: h.file.Name, Goals: h.goalTexts(), Plan: m.plan, Places: m.places}
}

// goalTexts are the goals that say something; never nil, as documents show an
// empty list.
func (h *half) goalTexts() []string {
	list := []string{}
	for _, g := range h.goals {
		if g.text != "" {
			list = append(list, g.text)
		}
	}
	return list
}
