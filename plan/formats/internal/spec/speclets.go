package spec

import (
	"strings"

	"github.com/planlock/planlock/plan"
)

// nameDepends turns what speclets depend on into ids. A speclet may be called
// by its id, its name or its title, and "all previous speclets" is what it
// says.
func (h *half) nameDepends() { h.resolve(h.names()) }

// names are all that the speclets of a half are called.
func (h *half) names() map[string]string {
	called := map[string]string{}
	for _, s := range h.speclets {
		for _, name := range [...]string{slug(s.title.text), slug(s.name), s.id} {
			if name != "" {
				called[name] = s.id
			}
		}
	}
	return called
}

// maxSpelled is how many ids "all previous speclets" is spelled out to in one
// file.
const maxSpelled = 10000

// resolve turns names into ids. "All previous speclets" is spelled out, up to
// a bound for the file; behind it, only the one before is named, which waits
// for the others.
func (h *half) resolve(called map[string]string) {
	spelled := 0
	for i, s := range h.speclets {
		for j := range s.depends {
			d := &s.depends[j]
			ids := make([]said, 0, len(d.ids))
			for _, id := range d.ids {
				if all := slug(id.text); strings.HasPrefix(all, "all_") && strings.Contains(all, "previous") {
					before := h.speclets[:i]
					if spelled += i; spelled > maxSpelled {
						before = before[i-1:] // which waits for those before it
					}
					for _, s := range before {
						ids = append(ids, said{s.id, id.at, true})
					}
					continue
				}
				if known, ok := called[id.text]; ok {
					id.text = known
				} else if known, ok := called[slug(id.text)]; ok {
					id.text = known
				}
				ids = append(ids, id)
			}
			d.ids = ids
		}
	}
}

// dependsOn are the ids that a speclet depends on: of several statements, all;
// nil where none is made. The slice is the caller's.
func (s *speclet) dependsOn() []string {
	var list []string
	seen := map[string]bool{}
	for i, d := range s.depends {
		if i == 0 {
			list = []string{}
		}
		for _, id := range d.ids {
			if !seen[id.text] {
				seen[id.text] = true
				list = append(list, id.text)
			}
		}
	}
	return list
}

// taskID is the id of the task that a speclet calls by name: 3, "3", "task_3"
// or "Task 3".
func (h *half) taskID(name string, known map[string]bool) string {
	if known[name] {
		return name
	}
	rest := strings.ToLower(strings.Trim(name, "`\"' "))
	for _, lead := range [...]string{"task_", "task-", "task "} {
		if id, ok := strings.CutPrefix(rest, lead); ok && known[strings.Trim(id, "[] ")] {
			return strings.Trim(id, "[] ")
		}
	}
	return name
}

// taskIDs are the ids of the tasks of the half.
func (h *half) taskIDs() map[string]bool {
	known := make(map[string]bool, len(h.tasks))
	for _, t := range h.tasks {
		known[t.id] = true
	}
	return known
}

// graph is the order of the speclets alone.
func (h *half) graph() *plan.Graph {
	p := plan.Plan{Speclets: []plan.Speclet{}}
	for _, s := range h.speclets {
		p.Speclets = append(p.Speclets, plan.Speclet{ID: s.id, DependsOn: s.dependsOn()})
	}
	return p.Graph()
}
