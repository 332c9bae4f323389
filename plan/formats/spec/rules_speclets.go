package spec

import (
	"fmt"
	"slices"
	"strings"
)

// grouped is the half whose speclets count, or nil where there are none.
func (j *judged) grouped() *half {
	if h := j.main(); h != nil && len(h.speclets) > 0 {
		return h
	}
	return nil
}

func specletPairs(j *judged) []pairing[speclet] {
	if !j.both() {
		return nil
	}
	return pairUp(j.m.speclets, j.t.speclets, func(s *speclet) string { return s.id })
}

func specletNotInTOML(j *judged, report reporter) {
	for _, p := range specletPairs(j) {
		if p.second == nil {
			report(j.m, p.first.at, "", "", fmt.Sprintf("SPECLet %s is not in %s", p.first.id, j.t.file.Name),
				fmt.Sprintf("add  [[speclets]]  with  id = %q, depends_on, tasks and parallel_allowed  there",
					p.first.id))
		}
	}
}

func specletNotInMarkdown(j *judged, report reporter) {
	for _, p := range specletPairs(j) {
		if p.first == nil {
			report(j.t, p.second.at, "", "", fmt.Sprintf("SPECLet %s is not in %s", p.second.id, j.m.file.Name),
				fmt.Sprintf("add  ### SPECLet [%s]: %s  there, with **Depends On:** and **Tasks Included:**",
					p.second.id, p.second.title.text))
		}
	}
}

func specletDuplicate(j *judged, report reporter) {
	if j.t == nil {
		return
	}
	seen := map[string]bool{}
	for _, s := range j.t.speclets {
		if seen[s.id] {
			report(j.t, s.at, "", "", fmt.Sprintf("SPECLet %s is there already", s.id),
				"give one of them another id, in both files")
		}
		seen[s.id] = true
	}
}

func specletDepends(j *judged, report reporter) {
	for _, p := range specletPairs(j) {
		if p.first == nil || p.second == nil {
			continue
		}
		want := p.second.dependsOn()
		slices.Sort(want)
		for _, d := range p.first.depends {
			one := speclet{depends: []statement{d}}
			have := one.dependsOn()
			slices.Sort(have)
			if !slices.Equal(have, want) {
				report(j.m, d.at, "", "", fmt.Sprintf("SPECLet %s depends on %s here and on %s in the parameters",
					p.first.id, enumerated(have), enumerated(want)), "decide, and write the same everywhere")
				break
			}
		}
	}
}

// specletDiffers compares what both files say; what only one says is no
// difference.
func specletDiffers(j *judged, report reporter) {
	if !j.both() {
		return
	}
	inMarkdown, inTOML := j.m.taskIDs(), j.t.taskIDs()
	for _, p := range specletPairs(j) {
		if p.first == nil || p.second == nil {
			continue
		}
		if a, b := p.first.title.text, p.second.title.text; a != "" && b != "" && !sameText(a, b) {
			report(j.m, p.first.at, "", "", fmt.Sprintf("SPECLet %s is %q here and %q in the parameters", p.first.id,
				shorten(a), shorten(b)), "decide, and write the same in both files")
		}
		have, want := j.m.listed(p.first, inMarkdown), j.t.listed(p.second, inTOML)
		if len(have) > 0 && len(want) > 0 && !slices.Equal(have, want) {
			report(j.m, p.first.at, "", "", fmt.Sprintf("SPECLet %s has the tasks %s here and %s in the parameters",
				p.first.id, enumerated(have), enumerated(want)), "decide, and write the same in both files")
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

func taskTwice(j *judged, report reporter) {
	h := j.grouped()
	if h == nil {
		return
	}
	owner := map[string]*speclet{}
	h.assigned(func(s *speclet, id string, at int) {
		if o := owner[id]; o != nil && o != s {
			report(h, at, id, "", fmt.Sprintf("task %s is in SPECLet %s already", id, o.id), "list it in one of them")
			return
		}
		owner[id] = s
	})
}

func taskUnassigned(j *judged, report reporter) {
	h := j.grouped()
	if h == nil || h.side == markdownSide && !slices.ContainsFunc(h.speclets,
		func(s *speclet) bool { return len(s.tasks) > 0 }) {
		return
	}
	owned := map[string]bool{}
	h.assigned(func(_ *speclet, id string, _ int) { owned[id] = true })
	for _, t := range h.tasks {
		if !owned[t.id] {
			report(h, t.at, t.id, "", fmt.Sprintf("task %s is in no SPECLet", t.id), "list it in the tasks of one")
		}
	}
}

func specletTaskUnknown(j *judged, report reporter) {
	h := j.grouped()
	if h == nil {
		return
	}
	known := h.taskIDs()
	h.assigned(func(s *speclet, id string, at int) {
		if !known[id] {
			report(h, at, id, "", fmt.Sprintf("SPECLet %s lists task %s, which is not there", s.id, id),
				"add the task, or take it out of the list")
		}
	})
}
