package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan/internal/paths"
)

// An inspection is a plan as the rules see it: with the options of the host,
// and with what takes a look at all of it to know. Rules do not change it, but
// for what they spend of the comparisons.
type inspection struct {
	draft   *Draft
	plan    *Plan
	options CheckOptions
	strict  bool

	texts    []text            // those of the plan, without tasks
	tasks    map[string]int    // by id, the first
	speclets map[string]int    // by id, the first
	steps    map[Address]place // by address, the first
	sequence []Address         // the steps in the order of execution
	order    map[Address]int   // their places in it
	cycles   cycles

	required map[string]bool     // ids of requirements
	served   map[string]bool     // requirements that a step serves
	public   Address             // the first step that changes public symbols
	nonGoals *paths.Patterns     // what no step may change
	kept     map[string]string   // symbols that no step may add or remove, to the non-goal
	envelope *paths.Patterns     // files that the outcome depends on
	own      map[string]struct{} // the plan and its lock
	keys     map[string]bool     // of [components] and [constraints], dotted

	lanes   *Lanes                     // nil: no step may run beside another
	created map[place]map[int]standing // places in lists of creations that an earlier step created or modified
	symbols map[place][]missing        // symbols that are added or removed once more
	gone    map[place][]missing        // what steps modify or delete that an earlier one deleted
	spent   int                        // comparisons with globs so far
	crossed int                        // comparisons of what steps access that may run at once
	beyond  string                     // the key at which there were too many, until it was told
}

// A place is the index of a task and of a step in it.
type place struct{ task, step int }

// A taskPart is a task that is judged.
type taskPart struct {
	*Task
	index int
	texts []text
}

// A stepPart is a step that is judged.
type stepPart struct {
	*Step
	task    *Task
	at      place
	address Address
	path    string // as in "tasks[0].steps[1]"
	texts   []text

	artifacts []text // what it declares, without what is no path
}

// inspect looks at all of a plan once. It takes time in proportion to the
// plan's length, but for comparisons of paths with globs, which are counted.
func inspect(d *Draft, o CheckOptions) *inspection {
	p := &d.Plan
	x := &inspection{draft: d, plan: p, options: o, strict: !p.Profile.Records(),
		texts: textsOf(p.Visit), tasks: indexOf(p.Tasks, taskID), speclets: indexOf(p.Speclets, specletID),
		steps: map[Address]place{}, required: map[string]bool{}, served: map[string]bool{},
		nonGoals: paths.New(), kept: map[string]string{}, envelope: paths.New(),
		own: map[string]struct{}{}, keys: map[string]bool{}}
	for _, f := range d.Files {
		for _, name := range ownNames(f.Path) {
			x.own[name] = struct{}{}
		}
	}
	for _, r := range p.Requirements {
		x.required[r.ID] = true
	}
	for _, s := range p.Settings {
		table, _, _ := strings.Cut(s.Key, ".")
		x.keys[table], x.keys[s.Key] = true, true
	}
	for _, n := range p.NonGoals {
		for _, name := range n.Symbols {
			x.kept[name] = n.ID
		}
		for _, p := range n.Paths {
			x.nonGoals.Add(p, n.ID)
		}
	}
	for _, list := range [][]string{p.Envelope.Context, p.Envelope.Config, p.Envelope.PromptTemplate} {
		for _, p := range list {
			x.envelope.Add(p, p)
		}
	}
	x.indexSteps()
	x.indexCreations()
	if p.Parallel() {
		x.lanes = p.Lanes()
	}
	return x
}

// indexSteps finds addresses, what requirements are served, and the order of
// the steps.
func (x *inspection) indexSteps() {
	for i := range x.plan.Tasks {
		t := &x.plan.Tasks[i]
		for j := range t.Steps {
			s := &t.Steps[j]
			a := addressOf(t.ID, s.ID)
			if _, ok := x.steps[a]; !ok {
				x.steps[a] = place{i, j}
			}
			for _, id := range s.Requirements {
				x.served[id] = true
			}
			if x.public == "" && s.changesPublic() {
				x.public = a
			}
		}
	}
	var graph *Graph
	graph, x.cycles = x.plan.order()
	x.sequence = graph.Order
	if f := x.draft.Format; (f == SpecPair || f == PendingActions) && x.cycles.none() {
		x.sequence = x.plan.Sequence(f)
	}
	x.order = make(map[Address]int, len(x.steps))
	for i, a := range x.sequence {
		if _, ok := x.order[a]; !ok {
			x.order[a] = i
		}
	}
}

// ownNames are the names under which a plan and its lock may lie in a
// workspace.
func ownNames(path string) []string {
	var names []string
	path = strings.ReplaceAll(path, `\`, "/")
	for _, p := range []string{path, strings.TrimSuffix(path, ".toml") + ".lock.json"} {
		for {
			names = append(names, strings.TrimPrefix(p, "./"))
			_, rest, ok := strings.Cut(p, "/")
			if !ok {
				break
			}
			p = rest
		}
	}
	return names
}

// missing is a path that a step modifies or deletes, and is not there then.
type missing struct {
	key, path string
	by        Address // the step that deletes it before
}

// standing is what is there before a step that declares to create it.
type standing struct {
	by       Address
	modified bool // that step modifies it, and it was there before
}

// indexCreations finds plain paths that a step declares as created, and an
// earlier one as created or modified, where no step between the two deletes
// them; and those that a step modifies or deletes, where an earlier one deleted
// them and none between the two creates them. Symbols that are added again, or
// removed again, are found likewise.
func (x *inspection) indexCreations() {
	x.created, x.gone = map[place]map[int]standing{}, map[place][]missing{}
	x.symbols = map[place][]missing{}
	by, deleted := map[string]standing{}, map[string]Address{}
	added, removed := map[string]Address{}, map[string]Address{}
	for _, a := range x.sequence {
		at, ok := x.steps[a]
		if !ok {
			continue
		}
		artifacts := x.plan.Tasks[at.task].Steps[at.step].Artifacts
		if artifacts == nil {
			continue
		}
		key := func(list string, k int) string {
			return fmt.Sprintf("tasks[%d].steps[%d].artifacts.%s[%d]", at.task, at.step, list, k)
		}
		for k, p := range artifacts.Create {
			forget(x, func() string { return key("create", k) }, p, deleted)
			if ledger.IsGlob(p) {
				continue
			}
			if first, ok := by[p]; !ok || first.by == a {
				by[p] = standing{by: a}
				continue
			}
			if x.created[at] == nil {
				x.created[at] = map[int]standing{}
			}
			x.created[at][k] = by[p]
		}
		x.lack(at, "artifacts.modify[%d]", artifacts.Modify, deleted)
		x.lack(at, "artifacts.delete[%d]", artifacts.Delete, deleted)
		for _, p := range artifacts.Modify {
			if _, ok := by[p]; !ok && !ledger.IsGlob(p) {
				by[p] = standing{a, true}
			}
		}
		for k, p := range artifacts.Delete {
			forget(x, func() string { return key("delete", k) }, p, by)
			if _, again := deleted[p]; !again && !ledger.IsGlob(p) {
				deleted[p] = a
			}
		}
		x.again(at, a, "artifacts.symbols_add[%d]", artifacts.SymbolsAdd, added, removed)
		x.again(at, a, "artifacts.symbols_remove[%d]", artifacts.SymbolsRemove, removed, added)
	}
}

// again notes which symbols of a list an earlier step has added, or removed,
// before, and none the other way since.
func (x *inspection) again(at place, a Address, key string, list []string, same, opposite map[string]Address) {
	for k, name := range list {
		if by, ok := same[name]; ok && by != a {
			x.symbols[at] = append(x.symbols[at], missing{fmt.Sprintf(key, k), name, by})
		}
		same[name] = a
		delete(opposite, name)
	}
}

// lack notes which paths of a list of artifacts an earlier step deleted.
func (x *inspection) lack(at place, key string, list []string, deleted map[string]Address) {
	for k, p := range list {
		if by, ok := deleted[p]; ok {
			x.gone[at] = append(x.gone[at], missing{fmt.Sprintf(key, k), p, by})
		}
	}
}

// forget drops what a path or glob takes away.
func forget[T any](x *inspection, key func() string, pattern string, by map[string]T) {
	delete(by, pattern)
	if !ledger.IsGlob(pattern) || ledger.CheckPattern(pattern) != nil || !x.affords(key, len(by)) {
		return
	}
	for p := range by { // in any order: each path is by itself
		if ledger.Match(pattern, p) {
			delete(by, p)
		}
	}
}

// maxComparisons bounds how often a path is compared with a glob in one plan.
const maxComparisons = 300_000

// affords reports whether so many more comparisons with globs are within the
// bound. The first key for which they are not is remembered, and reported by
// the rule too-complex.
func (x *inspection) affords(key func() string, comparisons int) bool {
	x.spent += comparisons
	if x.spent > maxComparisons {
		x.beyond, x.spent = key(), math.MinInt/2
	}
	return x.spent >= 0
}

// declared collects what steps declare as artifacts. A path that differs from
// name only as file systems may not tell, or lies below it, stands for name
// itself.
func (x *inspection) declared(name string) *paths.Patterns {
	ps, folded := paths.New(), paths.Fold(name)
	for t, s := range x.plan.Steps() {
		if s.Artifacts == nil {
			continue
		}
		owner := string(addressOf(t.ID, s.ID))
		for _, p := range s.Artifacts.paths() {
			if f := paths.Fold(p); f == folded || strings.HasPrefix(f, folded+"/") {
				p = name
			}
			ps.Add(p, owner)
		}
	}
	return ps
}

// A text is one of a part of a plan, with its key.
type text struct {
	means  meaning
	prefix string // of the table that it stands in
	name   string
	index  int // in a list, from 1; 0 for a text of its own
	text   string
}

// key is the place of the text in the part. Few are ever asked for it.
func (t *text) key() string {
	if t.index == 0 {
		return t.prefix + t.name
	}
	return fmt.Sprintf("%s%s[%d]", t.prefix, t.name, t.index-1)
}

// textsOf lists the texts of a part that have a meaning. Those of the tasks of
// a plan, and of the steps of a task, are not among them: they are parts of
// their own.
func textsOf(visit func(Visitor)) []text {
	r := &textReader{}
	visit(r)
	return r.list
}

// A textReader notes the texts that it is told.
type textReader struct {
	ignorant
	prefix string
	list   []text
}

// Text notes a text of a meaning; an empty one says nothing.
func (r *textReader) Text(k Key, at *string) {
	if k.means != plain && *at != "" {
		r.list = append(r.list, text{means: k.means, prefix: r.prefix, name: k.Name, text: *at})
	}
}

// Texts notes the items of a list, empty ones too: an empty path is a fault.
func (r *textReader) Texts(k Key, at *[]string) {
	if k.means == plain {
		return
	}
	r.list = slices.Grow(r.list, len(*at))
	for i, t := range *at {
		r.list = append(r.list, text{k.means, r.prefix, k.Name, i + 1, t})
	}
}

// Table goes through a table that is there. One that is not must not be
// visited, as that would make it.
func (r *textReader) Table(k Key, t Table) {
	if t.Said || t.Part {
		r.below(k.Name, t.Visit)
	}
}

// Tables goes through a list of tables, unless they are parts that are judged
// by themselves.
func (r *textReader) Tables(k Key, t Tables) {
	if k.means == own {
		return
	}
	for i := range t.Len {
		r.below(fmt.Sprintf("%s[%d]", k.Name, i), func(v Visitor) { t.Visit(i, v) })
	}
}

// below visits a table under its name.
func (r *textReader) below(name string, visit func(Visitor)) {
	before := r.prefix
	r.prefix += name + "."
	visit(r)
	r.prefix = before
}
