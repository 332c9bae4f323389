package spec

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/decidable"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

// A making turns what was read into a plan, and remembers where its parts
// stand.
type making struct {
	plan   plan.Plan
	places plan.Places
	known  map[string]bool // ids of the tasks of the half for machines
}

// plan is the half as a plan of its own.
func (h *half) plan() making {
	return join(h, nil)
}

// join makes one plan of two halves, matched by id: words are those of the
// first, Markdown where there is one; settings, flags and numbers are those of
// the parameters where these say them. second may be nil. Of several tasks with
// one id the joined plan has the first; one half alone has them all.
func join(first, second *half) making {
	m := making{plan: settingsFrom(first, second), places: plan.Places{}, known: machines(first, second).taskIDs()}
	for _, h := range [...]*half{first, second} {
		if g := h.goal(); g.ok && m.plan.Goal == "" {
			m.plan.Goal = g.text
			m.places["goal"] = h.file.Offset(g.at)
		}
	}
	m.tables(first, second)
	pairs := pairTasks(first, second)
	if len(pairs) > 0 {
		m.plan.Tasks = make([]plan.Task, len(pairs))
	}
	for i, p := range pairs {
		m.plan.Tasks[i] = m.task(numbered("tasks", i), p, first, second)
	}
	m.speclets(first, second)
	m.plan.Settings = orderSettings(m.plan.Settings)
	return m
}

// machines is the half for machines of a pair, or the only half.
func machines(first, second *half) *half {
	if second != nil {
		return second
	}
	return first
}

// tables notes where the tables of the parameters stand.
func (m *making) tables(first, second *half) {
	h := machines(first, second)
	if h.root == nil {
		return
	}
	for _, k := range h.root.Keys {
		if _, noted := m.places[k.Name]; !noted && k.Name != "tasks" && k.Name != "speclets" {
			m.places[k.Name] = h.file.Offset(k.Value.At)
		}
	}
}

// goal is the first goal of a half that says something.
func (h *half) goal() said {
	if h != nil {
		for _, g := range h.goals {
			if g.text != "" {
				return g
			}
		}
	}
	return said{}
}

// settingsFrom is a plan with all that is no goal, task or SPECLet: settings
// of both halves, of which those of the second win. The plan is run under
// observe unless it says otherwise, since the format has no words of its own for
// what strict asks, and with the preset that copes with failure as the format
// says. Where neither half says what the plan is called, their
// files do.
func settingsFrom(first, second *half) plan.Plan {
	p := first.rest
	if second != nil {
		q, m := second.rest, p
		p = q
		p.Meta.Name, p.Meta.Version = cmp.Or(q.Meta.Name, m.Meta.Name), cmp.Or(q.Meta.Version, m.Meta.Version)
		p.Meta.Extra = slices.Concat(q.Meta.Extra, m.Meta.Extra)
		p.Completion.AcceptanceCriteria = allSaid(q.Completion.AcceptanceCriteria, m.Completion.AcceptanceCriteria)
		p.Completion.Flags = slices.Concat(q.Completion.Flags, m.Completion.Flags)
		p.Settings = slices.Concat(q.Settings, m.Settings)
	}
	p.Profile = cmp.Or(p.Profile, plan.Observe)
	const preset = "preset"
	if !slices.ContainsFunc(p.Execution.Extra, func(s plan.Setting) bool { return s.Key == preset }) {
		p.Execution.Extra = append(slices.Clip(p.Execution.Extra),
			plan.Setting{Key: preset, Value: sketch.Text("spec")})
	}
	decided(&p.Completion)
	p.Completion.AcceptanceCriteria = allSaid(p.Completion.AcceptanceCriteria, flagged(&p))
	if p.Meta.Name == "" {
		p.Meta.Name = descriptor(first.file.Name)
	}
	for _, list := range [...]*[]plan.Setting{&p.Meta.Extra, &p.Settings, &p.Completion.Flags, &p.Execution.Extra,
		&p.ErrorPropagation.Extra} {
		*list = orderSettings(slices.Clone(*list))
	}
	return p
}

// decided has machines decide what they can of criteria in words: that a command
// passes, that a file contains something. That a file is there is looked for, and
// stays to be judged, as an empty one is there as well.
func decided(c *plan.Completion) {
	var words []string
	c.Checks = slices.Clip(c.Checks)
	for _, text := range c.AcceptanceCriteria {
		f := decidable.Of(text)
		if len(f.Words) > 0 || len(f.Checks) == 0 {
			words = append(words, text)
			continue
		}
		stays := false
		for _, check := range f.Checks {
			check.Derived = !check.LooksInside()
			stays = stays || check.Derived
			c.Checks = append(c.Checks, check)
		}
		if stays {
			words = append(words, text)
		}
	}
	c.AcceptanceCriteria = words
}

// descriptor is what the file of a half calls its plan: NAME of spec_NAME.md,
// NAME_SPEC.md and parameters_NAME.toml.
func descriptor(file string) string {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	name = strings.TrimSuffix(name, path.Ext(name))
	for _, lead := range [...]string{"spec_", "parameters_"} {
		if len(name) > len(lead) && strings.EqualFold(name[:len(lead)], lead) {
			return name[len(lead):]
		}
	}
	if end := len(name) - len("_spec"); end > 0 && strings.EqualFold(name[end:], "_spec") {
		return name[:end]
	}
	return name
}

// A pairing is what stands in two files with one id; either may be missing.
type pairing[T any] struct{ first, second *T }

// pairTasks matches the tasks of both halves; without a second half, each
// stands alone, also several with one id.
func pairTasks(first, second *half) []pairing[task] {
	if second == nil {
		list := make([]pairing[task], len(first.tasks))
		for i, t := range first.tasks {
			list[i].first = t
		}
		return list
	}
	if tasksShifted(first, second) {
		list := make([]pairing[task], len(first.tasks))
		for i := range list {
			list[i] = pairing[task]{first.tasks[i], second.tasks[i]}
		}
		return list
	}
	return pairUp(first.tasks, second.tasks, func(t *task) string { return t.id })
}

// pairUp matches by id, in the order of the first list; what only the second
// has comes last.
func pairUp[T any](first, second []*T, id func(*T) string) []pairing[T] {
	if alike(first, second, id) {
		list := make([]pairing[T], len(first))
		for i := range list {
			list[i] = pairing[T]{first[i], second[i]}
		}
		return list
	}
	at := map[string]int{}
	var list []pairing[T]
	for _, t := range first {
		if _, ok := at[id(t)]; !ok {
			at[id(t)] = len(list)
			list = append(list, pairing[T]{first: t})
		}
	}
	for _, t := range second {
		i, ok := at[id(t)]
		if !ok {
			at[id(t)] = len(list)
			list = append(list, pairing[T]{second: t})
		} else if list[i].second == nil {
			list[i].second = t
		}
	}
	return list
}

// alike reports whether two short lists have the same ids in the same order,
// each once.
func alike[T any](first, second []*T, id func(*T) string) bool {
	if len(first) != len(second) || len(first) > 20 {
		return false
	}
	for i := range first {
		if id(first[i]) != id(second[i]) {
			return false
		}
		for _, before := range first[:i] {
			if id(before) == id(first[i]) {
				return false
			}
		}
	}
	return true
}

// place notes where a part stands: in the first file, or else in the second.
func (m *making) place(key string, first, second *half, one, other int, inFirst bool) {
	if inFirst {
		m.places[key] = first.file.Offset(one)
	} else {
		m.places[key] = second.file.Offset(other)
	}
}

// task makes a task of what both halves say of it, and notes where it and its
// steps stand.
func (m *making) task(at string, p pairing[task], first, second *half) plan.Task {
	a, b := orEmpty(p.first), orEmpty(p.second)
	m.place(at, first, second, a.at, b.at, p.first != nil)
	var t plan.Task
	if said := saidIn(p).act; said != nil {
		t = *said
	}
	t.ID, t.Status, t.Title = cmp.Or(a.id, b.id), plan.Open, a.title.or(b.title).text
	t.Description, t.DependsOn = cmp.Or(a.description, b.description), slices.Clone(listSaid(b.dependsOn, a.dependsOn))
	h := machines(first, second)
	for i, name := range t.DependsOn {
		t.DependsOn[i] = h.taskID(name, m.known)
	}
	t.ResearchEnabled, t.ResearchSources = a.research || b.research, listSaid(b.sources, a.sources)
	t.AcceptanceCriteria = allSaid(b.criteria, a.criteria)
	m.acts(at, saidIn(p).acts, first, second)
	pairs := pairSteps(p)
	if len(pairs) > 0 {
		t.Steps = make([]plan.Step, len(pairs))
	}
	for i, s := range pairs {
		key := numbered(at+".steps", i)
		x, y := orEmpty(s.first), orEmpty(s.second)
		m.place(key, first, second, x.at, y.at, s.first != nil)
		m.acts(key, saidIn(s).acts, first, second)
		m.step(&t.Steps[i], key, a, b, s, first, second)
	}
	return t
}

// pairSteps matches the steps of a task by id; by place where one file counts
// from 0 and the other from 1.
func pairSteps(p pairing[task]) []pairing[step] {
	if p.second == nil {
		list := make([]pairing[step], len(p.first.steps))
		for i, s := range p.first.steps {
			list[i].first = s
		}
		return list
	}
	if p.first == nil {
		return pairUp(nil, p.second.steps, func(s *step) string { return s.id })
	}
	if shifted(p.first, p.second) {
		list := make([]pairing[step], len(p.first.steps))
		for i := range list {
			list[i] = pairing[step]{p.first.steps[i], p.second.steps[i]}
		}
		return list
	}
	return pairUp(p.first.steps, p.second.steps, func(s *step) string { return s.id })
}

// saidIn is what the parameters hold of a part: the second of a pair, or the
// first of a half that is alone. That of Markdown acts on nothing.
func saidIn[T any](p pairing[T]) *T {
	if p.second != nil {
		return p.second
	}
	return orEmpty(p.first)
}

// acts notes where the keys of a table stand that mean what they do in native
// plans.
func (m *making) acts(at string, keys []tomltree.Key, first, second *half) {
	h := machines(first, second)
	for _, k := range keys {
		m.places[at+"."+k.Name] = h.file.Offset(k.Offset)
	}
}

// step makes a step: what people read comes from the Markdown, what decides
// from the parameters. A number of retries that cannot be is left out, as a
// rule has told it. A step with a command has no other method.
func (m *making) step(to *plan.Step, at string, a, b *task, p pairing[step], first, second *half) {
	x, y := orEmpty(p.first), orEmpty(p.second)
	var s plan.Step
	if said := saidIn(p).act; said != nil {
		s = *said
	}
	s.ID, s.Description, s.Status = cmp.Or(x.id, y.id), x.title.or(y.title).text, plan.Open
	s.ExpectedOutput = y.expected.or(x.expected).text
	s.Mode = cmp.Or(modeAsSaid(y.modeOf(b).or(x.modeOf(a)).text), s.Mode)
	s.Components = listSaid(textsOf(listSaid(y.components, x.components)), s.Components)
	s.Constraints = listSaid(textsOf(listSaid(y.constraints, x.constraints)), s.Constraints)
	if said := firstFlag(y.flagOf(b), x.flagOf(a)); said != nil {
		s.Critical = said
	}
	for _, said := range [...]*int{x.retriesOf(a).value, y.retriesOf(b).value} {
		if said != nil {
			s.MaxRetries = said
		}
	}
	if !s.HasMethod() {
		s.Prompt = strings.TrimSpace(strings.Join(append([]string{x.method.or(y.method).text}, x.more...), "\n"))
	}
	if p.first != nil && p.second != nil {
		m.keepMethod(a.id, &s, "method_in_markdown", x.method.text)
		m.keepMethod(a.id, &s, "method_in_parameters", y.method.text)
		m.keepMethod(a.id, &s, "text", strings.Join(x.more, "\n"))
	}
	for _, c := range decidable.Derived(s.Description, s.Prompt) {
		if !saidOf(&s, c.Path) {
			s.Postconditions = append(s.Postconditions, c)
		}
	}
	if s.MaxRetries != nil && *s.MaxRetries < 0 {
		s.MaxRetries = nil // found by a rule
	}
	if s.OnFailure == "" && s.MaxRetries != nil && *s.MaxRetries > 0 {
		s.OnFailure = plan.Retry // so that the number acts
	}
	one, other := x.backups, y.backups
	var pairs []pairing[backup]
	if len(other) == 0 {
		for _, b := range one {
			pairs = append(pairs, pairing[backup]{first: b})
		}
	} else if len(one) == 0 {
		for _, b := range other {
			pairs = append(pairs, pairing[backup]{second: b})
		}
	} else {
		pairs = pairUp(one, other, func(b *backup) string { return b.id })
	}
	for i, p := range pairs {
		f, g := orEmpty(p.first), orEmpty(p.second)
		m.place(numbered(at+".backups", i), first, second, f.at, g.at, p.first != nil)
		s.Backups = append(s.Backups, makeBackup(f, g))
	}
	*to = s
}

// keepMethod keeps what a half says of how a step is done where that is not used.
func (m *making) keepMethod(task string, s *plan.Step, key, text string) {
	if text == "" || strings.Contains(s.Run+"\n"+s.Prompt, text) || sameText(text, s.Description) {
		return
	}
	m.plan.Settings = append(m.plan.Settings, plan.Setting{Value: sketch.Text(text),
		Key: "metadata.tasks." + spelling.QuoteKey(task) + ".steps." + spelling.QuoteKey(s.ID) + "." + key})
}

// saidOf reports whether a step says of a path what becomes of it, or checks it.
func saidOf(s *plan.Step, name string) bool {
	a := s.Artifacts.Declared()
	return slices.ContainsFunc(s.Postconditions, func(c plan.Check) bool { return c.Path == name }) ||
		slices.Contains(slices.Concat(a.Create, a.Modify, a.Delete), name)
}

// numbered is the key of an item of a list.
func numbered(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// makeBackup makes a backup of what both halves say of it. Its description is
// what an agent is asked, unless it says besides how it is done.
func makeBackup(f, g *backup) plan.Backup {
	b := g.act
	if g.id == "" {
		b = f.act
	}
	b.ID, b.Description, b.TriggerCondition = cmp.Or(f.id, g.id), f.text.or(g.text).text, cmp.Or(g.trigger, f.trigger)
	b.ExecutionMethod, b.ToolPath = cmp.Or(g.how, f.how), cmp.Or(g.tool, f.tool)
	b.ToolArgs = listSaid(g.args, f.args)
	if b.Run == "" && b.Prompt == "" && b.Tool == "" {
		b.Prompt = g.method.or(f.method).or(say(b.Description, 0)).text
	}
	return b
}

// speclets takes the SPECLets of the half for machines where it has any, else
// those of the text; they are not joined, because two orders cannot both be
// followed.
func (m *making) speclets(first, second *half) {
	if second != nil && len(second.speclets) > 0 {
		first, second = second, first // who depends on whom is for machines
	} else {
		second = nil
	}
	for i, s := range first.speclets {
		p := s.act
		p.ID, p.Description, p.DependsOn, p.ParallelAllowed = s.id, s.title.text, s.dependsOn(), s.parallel.value
		known := first.taskIDs()
		for _, t := range s.tasks {
			p.Tasks = append(p.Tasks, first.taskID(t.text, known))
		}
		m.plan.Speclets = append(m.plan.Speclets, p)
		m.places[numbered("speclets", i)] = first.file.Offset(s.at)
	}
}

// orEmpty is p, or an empty value to read from.
func orEmpty[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// listSaid is the first of two lists that is said, be it empty.
func listSaid[T any](a, b []T) []T {
	if a != nil {
		return a
	}
	return b
}

// allSaid are the texts of two lists, each once: those of the second that stand
// in the first in other letters, with other blanks or another full stop, are the
// same.
func allSaid(a, b []string) []string {
	alike := func(text string) string {
		return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(text), " ")), ".")
	}
	all := slices.Clip(a)
	for _, text := range b {
		if !slices.ContainsFunc(all, func(s string) bool { return alike(s) == alike(text) }) {
			all = append(all, text)
		}
	}
	return all
}

// firstFlag is the first of two truths that is said.
func firstFlag(a, b flag) *bool {
	if a.value != nil {
		return a.value
	}
	return b.value
}

// modeAsSaid is the mode that a text names; one that is not known stands as it
// was written, for messages.
func modeAsSaid(text string) plan.Mode {
	if mode := modeOf(text); mode != "" {
		return mode
	}
	word, _, _ := strings.Cut(text, "(")
	return plan.Mode(strings.TrimSpace(word))
}
