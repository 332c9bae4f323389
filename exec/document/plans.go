package document

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/exec/internal/cause"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
)

// Declarations draws what the completed steps of a run really changed as the
// TOML of a plan that declares just that: the tables of its tasks and steps
// with their ids, artifacts and limits. It serves runs under the profile
// observe, whose steps need not declare anything; a step that declared what it
// did is left out.
func Declarations(w io.Writer, rep *Model) error {
	contract, b := &guard.Contract{Plan: rep.plan}, bufio.NewWriter(w)
	fmt.Fprintf(b, "# What the steps of run %s changed. Copy the lines of each step into its table.\n",
		safetext.Escape(rep.Run))
	found := map[string]declaration{}
	for _, d := range rep.Declarations {
		found[d.Step] = d
	}
	task, any := "", false
	for _, s := range rep.steps {
		lines := undeclared(s, rep.Profile, found)
		if lines == nil {
			continue
		}
		owner, of := contract.At(s.Address)
		if of == nil {
			continue
		}
		if owner.ID != task || !any {
			task, any = owner.ID, true
			fmt.Fprintf(b, "\n[[tasks]]\nid = %s\n", tomlString(task))
		}
		fmt.Fprintf(b, "\n  [[tasks.steps]]\n  id = %s\n", tomlString(of.ID))
		for _, line := range lines {
			b.WriteString("  " + line + "\n")
		}
	}
	if !any {
		b.WriteString("# Nothing is missing: every step that was completed declared what it changed.\n")
	}
	return b.Flush()
}

// undeclared are the lines that a step lacks; nil: none.
func undeclared(s *step, profile plan.Profile, found map[string]declaration) []string {
	if d, ok := found[string(s.Address)]; ok {
		return d.toml()[1:] // the id says which step it is
	}
	e := s.account()
	if !profile.Records() || s.Status != history.Completed || s.Declared != nil || e == nil || len(e.Changes) > 0 {
		return nil
	}
	return []string{"artifacts = {} # it changed nothing"}
}

// toml writes a declaration as the lines of the plan that would hold it.
func (d declaration) toml() []string {
	out := []string{"# step " + safetext.Escape(d.Step)}
	var keys []string
	for _, part := range []struct {
		key   string
		paths []path
	}{{"create", d.Create}, {"modify", d.Modify}, {"delete", d.Delete}} {
		var quoted []string
		for _, p := range part.paths {
			if !utf8.ValidString(p.shown) {
				out = append(out, "# no plan can name "+safetext.Escape(p.shown)+": it is not UTF-8")
				continue
			}
			quoted = append(quoted, tomlString(p.shown))
		}
		if len(quoted) > 0 {
			keys = append(keys, part.key+" = ["+strings.Join(quoted, ", ")+"]")
		}
	}
	return append(out, "artifacts = { "+strings.Join(keys, ", ")+" }",
		"limits = { max_files = "+strconv.Itoa(d.MaxFiles)+", max_lines = "+strconv.Itoa(d.MaxLines)+" }")
}

// tomlString quotes s as a TOML basic string of visible characters.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// TOML is toml, for the page.
func (d declaration) TOML() []string { return d.toml() }

// A pendingAction is what the next cycle of planning has to take up.
type pendingAction struct {
	TaskID   string          `json:"task_id"`
	Priority string          `json:"priority"`
	Action   string          `json:"action"`
	About    string          `json:"description,omitempty"` // where the plan says more than the action
	Type     string          `json:"type,omitempty"`
	Criteria []string        `json:"acceptance_criteria"`
	Files    []string        `json:"expected_artifacts,omitempty"` // that the plan names for it
	Depends  []string        `json:"depends_on,omitempty"`
	Status   string          `json:"status"` // failed, failed_final, blocked, skipped, partial, pending
	Reason   string          `json:"reason"`
	Hints    []string        `json:"hints,omitempty"`
	Attempts int             `json:"attempts"`
	Run      string          `json:"from_run"`
	Actions  ordered[string] `json:"actions,omitempty"` // what can be done about it
}

// unresolvedTasks are the tasks of a run that is over that were not completed.
func unresolvedTasks(rep *Model) []*task {
	if rep.of.Ended == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(rep.Tasks), func(t *task) bool { return unresolved(rep.of, t) == "" })
}

// drawPending draws the tasks that the run did not complete, each with the
// reason and with hints for whoever plans next. It can be read as a plan again.
func drawPending(w io.Writer, rep *Model) error {
	left := map[string]bool{}
	for _, t := range unresolvedTasks(rep) {
		left[t.ID] = true
	}
	var actions []pendingAction
	for _, t := range unresolvedTasks(rep) {
		actions = append(actions, newPending(rep.plan, rep.of, rep, t, *rep.analysis, left))
	}
	return encode(w, actions)
}

// unresolved is how a task stands that is to be taken up again, "" if it is
// done.
func unresolved(r *history.Run, t *task) string {
	if status := r.Task(t.ID).Status(); status != history.Completed {
		return string(status)
	}
	return ""
}

// newPending is a task that was left, for whoever plans the next cycle: why it
// was left, what was tried, and what may help.
func newPending(p *plan.Plan, r *history.Run, rep *Model, t *task, a analysis.Analysis,
	left map[string]bool) pendingAction {
	out := pendingAction{TaskID: t.ID, Priority: priorityOf(&plan.Task{}), Action: t.Title, Criteria: []string{},
		Status: unresolved(r, t), Run: rep.Run}
	var earlier []string
	for i := range p.Tasks {
		in := &p.Tasks[i]
		if in.ID != t.ID {
			continue
		}
		out.Priority, out.About, out.Type = priorityOf(in), textOf(in), in.Kind
		out.Criteria = append(out.Criteria, in.AcceptanceCriteria...)
		out.Files = in.Files
		earlier = in.Hints
		out.Criteria = append(out.Criteria, commandsOf(in, out.Criteria)...)
		if len(in.AcceptanceCriteria) == 0 {
			out.Criteria = append(out.Criteria, stepsLeft(t, in)...)
		}
	}
	for _, e := range rep.edges { // those between speclets, too
		if e[1] == t.ID && left[e[0]] && !slices.Contains(out.Depends, e[0]) {
			out.Depends = append(out.Depends, e[0])
		}
	}
	out.Reason = reasonLeft(r, t)
	out.Hints = append(out.Hints, objectionsTo(r, t.ID)...)
	for _, s := range t.Steps {
		if patch := r.Step(s.Address).Patch(s.Method); patch != nil && s.Status == history.Completed &&
			patch.Point != string(advice.Verification) { // one of evidence helped nothing: the task is not done
			out.Hints = append(out.Hints, fmt.Sprintf("step %s went well with this patch: %s", s.Address, patch.Summary))
		}
		out.Attempts += len(s.Attempts)
		if s.Failure != nil && r.Task(t.ID).Word() != nil { // else the reason has it
			out.Hints = append(out.Hints, fmt.Sprintf("step %s failed: %s", s.Address, strings.Join(s.Failure.Reasons, "; ")))
		}
		if s.Failure != nil || s.Blocked != nil && s.unanswered() {
			out.Hints = append(out.Hints, s.remedy())
		}
		for _, adv := range r.Step(s.Address).Advised {
			if adv.Note != "" && adv.Kind != "research" && adv.RootCause != string(cause.Unknown) {
				out.Hints = append(out.Hints, fmt.Sprintf("%s (%s)", adv.Note, adv.Kind))
			}
		}
	}
	for _, rec := range a.Recommendations {
		if rec.Task == t.ID {
			out.Hints = append(out.Hints, rec.Text())
		}
	}
	out.Hints = hints(out.Hints, earlier)
	if t.Class() == failed {
		out.Actions = rep.actions(slices.ContainsFunc(t.Steps, func(s *step) bool {
			return slices.ContainsFunc(s.Attempts, func(a *attempt) bool { return a.Outcome == failed })
		}))
	}
	return out
}

// commandsOf are the commands by which a task is verified, as criteria: those that
// no criterion says already.
func commandsOf(in *plan.Task, said []string) (more []string) {
	for i := range in.Steps {
		for _, c := range in.Steps[i].Postconditions {
			text := fmt.Sprintf("`%s` exits 0", c.Run)
			if c.Kind != "command" || c.Exit != nil || c.StdoutContains != "" || strings.ContainsAny(c.Run, "`\n") ||
				slices.Contains(more, text) ||
				slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, c.Run) }) {
				continue
			}
			more = append(more, text)
		}
	}
	return more
}

// maxHints is how many hints a task is left with.
const maxHints = 40

// hints are those of this run, then those that the task had before, each once.
// What says why an earlier run left the task holds no more.
func hints(now, before []string) []string {
	var all []string
	for _, hint := range slices.Concat(now, before) {
		if len(all) < maxHints && !slices.Contains(all, hint) && !strings.HasPrefix(hint, plan.LeftBefore) {
			all = append(all, hint)
		}
	}
	return all
}

// objectionsTo are what reviewers hold against the latest draft of a task: what
// is to be answered before it is submitted again, and what they warned of.
func objectionsTo(r *history.Run, task string) (all []string) {
	a := r.Task(task).Approval()
	if a == nil {
		return nil
	}
	reviews := reviewsOf(r, a)
	for _, said := range reviews {
		for _, why := range said.Objections() {
			all = append(all, "to be answered first, as the reviewers did not approve: "+why)
		}
	}
	for _, said := range reviews {
		for _, warning := range said.Warnings {
			all = append(all, said.Reviewer+" warned: "+warning)
		}
	}
	return all
}

// priorityOf is how urgent a task is, in the words of lists of pending actions.
func priorityOf(t *plan.Task) string { return orElse(strings.ToUpper(t.Priority), "MEDIUM") }

// textOf is what the plan says of a task besides its title: its description,
// else what its steps are told to do.
func textOf(in *plan.Task) string {
	var parts []string
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" && text != in.Title && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if add(in.Description); in.Description == "" {
		for i := range in.Steps {
			if prompt := in.Steps[i].Prompt; prompt != in.Prompt() { // else it says what stands here already
				add(prompt)
			}
		}
	}
	return strings.Join(parts, "\n\n")
}

// stepsLeft are the titles of the steps that were not completed and that no command
// verifies: what is to be there, where the plan has no criteria. What is no more
// than the task's own title says nothing.
func stepsLeft(t *task, in *plan.Task) (titles []string) {
	for _, s := range t.Steps {
		byCommand := slices.ContainsFunc(in.Steps, func(of plan.Step) bool {
			return of.Address == s.Address && len(commandsOf(&plan.Task{Steps: []plan.Step{of}}, nil)) > 0
		})
		if s.Status != history.Completed && s.Title != t.Title && !byCommand {
			titles = append(titles, s.Title)
		}
	}
	return titles
}

// reasonLeft says why a task is not done.
func reasonLeft(r *history.Run, t *task) string {
	if o := r.Task(t.ID).Word(); o != nil {
		return o.Reason
	}
	for _, s := range t.Steps {
		switch {
		case s.Failure != nil:
			return fmt.Sprintf("step %s: %s", s.Address, strings.Join(s.Failure.Reasons, "; "))
		case s.Blocked != nil:
			return fmt.Sprintf("step %s: %s", s.Address, s.Blocked.Why)
		case s.Skipped != nil:
			return fmt.Sprintf("step %s was left out by %s: %s", s.Address, s.Skipped.By, s.Skipped.Why)
		}
	}
	if over := r.Flow.Task(t.ID); over != nil && over.Reason != "" {
		return over.Reason
	}
	return flow.Unreached(r)
}
