package spec

import (
	"fmt"
	"slices"
	"strings"
)

// specletPairs matches the SPECLets of both halves by id.
func specletPairs(j *judged) []pairing[speclet] {
	return pairUp(j.m.speclets, j.t.speclets, func(s *speclet) string { return s.id })
}

// Every SPECLet of the Markdown has a table in the parameters, by id.
func specletNotInTOML(c spot) {
	for _, p := range specletPairs(c.judged) {
		if p.second == nil {
			c.in(c.m).tell(p.first.at,
				fmt.Sprintf("add  [[speclets]]  with  id = %q, depends_on, tasks and parallel_allowed  there",
					p.first.id),
				"SPECLet %s is not in %s", p.first.id, c.h.file.Name)
		}
	}
}

// Every SPECLet of the parameters has a heading in the Markdown, by id.
func specletNotInMarkdown(c spot) {
	for _, p := range specletPairs(c.judged) {
		if p.first == nil {
			c.tell(p.second.at,
				fmt.Sprintf("add  ### SPECLet [%s]: %s  there, with **Depends On:** and **Tasks Included:**",
					p.second.id,
					p.second.title.text), "SPECLet %s is not in %s", p.second.id, c.m.file.Name)
		}
	}
}

// An id names one SPECLet of the parameters. In Markdown it may have two
// headings, an overview and its details.
func specletDuplicate(c spot) {
	seen := map[string]bool{}
	for _, s := range c.h.speclets {
		if seen[s.id] {
			c.tell(s.at, "give one of them another id, in both files", "SPECLet %s is there already", s.id)
		}
		seen[s.id] = true
	}
}

// Both files say the same of what a SPECLet waits for, in each of its headings.
// The run follows the parameters.
func specletDepends(c spot) {
	for _, p := range specletPairs(c.judged) {
		if p.first == nil || p.second == nil {
			continue
		}
		want := slices.Sorted(slices.Values(p.second.dependsOn()))
		for _, d := range p.first.depends {
			one := speclet{depends: []statement{d}}
			have := slices.Sorted(slices.Values(one.dependsOn()))
			if !slices.Equal(have, want) {
				c.in(c.m).tell(d.at, "decide, and write the same everywhere",
					"SPECLet %s depends on %s here and on %s in the parameters", p.first.id, enumerated(have),
					enumerated(want))
				break
			}
		}
	}
}

// Both files call a SPECLet the same, and list the same tasks in it. The run
// follows the parameters.
//
// What only one of them says is no difference.
func specletDiffers(c spot) {
	const hint = "decide, and write the same in both files"
	inMarkdown, inTOML := c.m.taskIDs(), c.h.taskIDs()
	for _, p := range specletPairs(c.judged) {
		if p.first == nil || p.second == nil {
			continue
		}
		if a, b := p.first.title.text, p.second.title.text; a != "" && b != "" && !sameText(a, b) {
			c.in(c.m).tell(p.first.at, hint, "SPECLet %s is %q here and %q in the parameters", p.first.id, shorten(a),
				shorten(b))
		}
		have, want := c.m.listed(p.first, inMarkdown), c.h.listed(p.second, inTOML)
		if len(have) > 0 && len(want) > 0 && !slices.Equal(have, want) {
			c.in(c.m).tell(p.first.at, hint, "SPECLet %s has the tasks %s here and %s in the parameters", p.first.id,
				enumerated(have), enumerated(want))
		}
	}
}

// listed are the tasks of a speclet by their ids, sorted, each once.
func (h *half) listed(s *speclet, known map[string]bool) []string {
	var ids []string
	for _, t := range s.tasks {
		ids = append(ids, h.taskID(t.text, known))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// enumerated lists ids for a message, at most twenty of them.
func enumerated(ids []string) string {
	if len(ids) == 0 {
		return "nothing"
	}
	if len(ids) > 20 {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:20], ", "), len(ids)-20)
	}
	return strings.Join(ids, ", ")
}

// assigned calls f for every task that a speclet lists.
func (h *half) assigned(f func(s *speclet, id string, at int)) {
	known := h.taskIDs()
	for _, s := range h.speclets {
		for _, t := range s.tasks {
			f(s, h.taskID(t.text, known), t.at)
		}
	}
}

// A task is in exactly one SPECLet.
func taskTwice(c spot) {
	owner := map[string]*speclet{}
	c.h.assigned(func(s *speclet, id string, at int) {
		if o := owner[id]; o != nil && o != s {
			c.of(&task{id: id}, nil).tell(at, "list it in one of them", "task %s is in SPECLet %s already", id, o.id)
			return
		}
		owner[id] = s
	})
}

// Where there are SPECLets, every task is in one.
func taskUnassigned(c spot) {
	if c.h.side == markdownSide &&
		!slices.ContainsFunc(c.h.speclets, func(s *speclet) bool { return len(s.tasks) > 0 }) {
		return
	}
	owned := map[string]bool{}
	c.h.assigned(func(_ *speclet, id string, _ int) { owned[id] = true })
	for _, t := range c.h.tasks {
		if !owned[t.id] {
			c.of(t, nil).tell(t.at, "list it in the tasks of one", "task %s is in no SPECLet", t.id)
		}
	}
}

// A SPECLet lists tasks that are there.
func specletTaskUnknown(c spot) {
	known := c.h.taskIDs()
	c.h.assigned(func(s *speclet, id string, at int) {
		if !known[id] {
			c.of(&task{id: id}, nil).tell(at, "add the task, or take it out of the list",
				"SPECLet %s lists task %s, which is not there", s.id, id)
		}
	})
}
