package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/cmd/internal/config"
	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
	"github.com/planlock/planlock/plan/formats"
)

// maxInput is how much of standard input is read: more than any plan may have, so
// that one that is too large is told so.
const maxInput = 64 << 20

// standardInput stands for the path of a plan that is only looked at.
const standardInput = "-"

// draft reads a plan of any format that the host or planlock knows, under the
// terms of the call.
func (p *cli) draft(path string) (*plan.Draft, error) {
	d, err := p.readPlan(path)
	if err == nil && p.inside != nil {
		for _, f := range d.Files {
			if err := p.inside(f.Path); err != nil {
				return nil, err
			}
		}
	}
	if err == nil && !draftIsEmpty(d) && p.terms.settle(d) {
		p.warn("--profile %s changes nothing: the plan says %s itself; change it there", p.terms.Profile, d.Plan.Profile)
	}
	return d, err
}

// readPlan reads a plan as it stands.
func (p *cli) readPlan(path string) (*plan.Draft, error) {
	if path == standardInput {
		text, err := io.ReadAll(io.LimitReader(p.in, maxInput))
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return formats.ReadBytes("stdin", text)
	}
	for _, read := range p.with.Formats {
		if draft, err := read(path); draft != nil || err != nil {
			return draft, err
		}
	}
	if text, err := file.Read(path); filepath.Base(path) == repositoryFile && err == nil && config.IsConfig(text) {
		return noPlan(path, text), nil
	}
	return formats.ReadFile(path)
}

// noPlan is what is read of a configuration that somebody took for a plan.
func noPlan(path string, text []byte) *plan.Draft {
	return plan.Assemble(plan.Parts{Format: plan.Unknown, Broken: true, Files: []plan.Text{{Path: path, Text: text}},
		Found: []plan.Diagnostic{{Code: "not-a-plan", Severity: plan.Error, Pos: plan.Position{File: path, Line: 1, Column: 1},
			Message: "this is a configuration, and no plan: it has no schema, no goal and no tasks",
			Hint:    "name a plan; planlock config says what is settled here"}}})
}

// judge reads a plan and checks it. Where nothing can be read, the error has
// been told.
func (p *cli) judge(path string, options plan.CheckOptions) (*plan.Draft, []plan.Diagnostic, error) {
	draft, err := p.draft(path)
	if err != nil {
		d, status := unreadable(path, err)
		return nil, nil, p.tellUnreadable(d, status)
	}
	return draft, draft.Check(options), nil
}

// tellUnreadable tells why nothing of a plan could be read.
func (p *cli) tellUnreadable(d plan.Diagnostic, status int) error {
	p.draw(p.err, paint.Check, func(w io.Writer) error { return d.Format(w, nil) })
	return &quietError{status}
}

// refuse tells what is wrong with a plan, with the status that says so.
func (p *cli) refuse(draft *plan.Draft, found []plan.Diagnostic) error {
	p.draw(p.err, paint.Check, func(w io.Writer) error {
		printDiagnostics(w, draft, found)
		printVerdict(w, draft, found, nil, terms{})
		return nil
	})
	return &quietError{statusRefused}
}

// read reads a plan that is to be locked. If it is refused, what is wrong with
// it has been told. The draft's files have absolute paths, so that a run can be
// resumed from any folder.
func (p *cli) read(path string, options plan.CheckOptions) (*plan.Draft, error) {
	if path == standardInput {
		return nil, &usageError{"a plan that is locked is a file, which is looked at again: write it to one"}
	}
	draft, found, err := p.judge(path, options)
	if err != nil {
		return nil, err
	}
	if errors, _, _ := plan.Tally(found); errors > 0 || cannotRun(found) {
		return nil, p.refuse(draft, found)
	}
	for i := range draft.Files {
		if draft.Files[i].Path, err = filepath.Abs(draft.Files[i].Path); err != nil {
			return nil, err
		}
	}
	return draft, nil
}

// unreadable is what is wrong with a plan of which nothing could be read, as a
// diagnostic, and the exit status for it.
func unreadable(path string, err error) (plan.Diagnostic, int) {
	d := plan.Diagnostic{Severity: plan.Error, Message: err.Error(), Pos: plan.Position{File: path, Line: 1, Column: 1}}
	var size *plan.SizeError
	switch {
	case errors.As(err, &size):
		d.Code, d.Hint = "plan-too-large", "a plan is text that a person can read: split it, or move data into files of the workspace"
		return d, statusRefused
	case errors.Is(err, file.ErrNoPlan):
		d.Code, d.Hint = "plan-not-found", "name the plan's file, or a folder that holds one"
	case errors.Is(err, file.ErrManyPlans):
		d.Code, d.Hint = "plan-ambiguous", "name the plan's file instead of its folder"
	case errors.Is(err, file.ErrNotRegular):
		d.Code, d.Hint = "plan-not-a-file", "name the plan's file, or a folder that holds one"
	case errors.Is(err, fs.ErrNotExist):
		d.Code, d.Hint = "plan-not-found", "look for a typing error in the path"
	case errors.Is(err, fs.ErrPermission):
		d.Code, d.Hint = "plan-not-readable", "give yourself permission to read it: chmod u+r"
	default:
		d.Code, d.Hint = "plan-not-readable", "mend that and try again"
	}
	return d, statusCouldNot
}

// cannotRun reports whether something was found that only a run minds.
func cannotRun(found []plan.Diagnostic) bool {
	return slices.ContainsFunc(found, func(d plan.Diagnostic) bool { return d.Code == "cannot-run" })
}

// draftIsEmpty reports whether nothing of a plan could be read.
func draftIsEmpty(d *plan.Draft) bool { return d.Plan.Goal == "" && len(d.Plan.Tasks) == 0 }

// printDiagnostics prints each with its line of the plan and its hint, apart
// from the next by an empty line.
func printDiagnostics(w io.Writer, draft *plan.Draft, found []plan.Diagnostic) {
	for _, d := range found {
		d.Format(w, draft) // a writer that fails fails again at the verdict
		fmt.Fprintln(w)
	}
}

// lacksWords reports whether a diagnostic is that of a step which does not say
// what only some formats have words for.
func lacksWords(d plan.Diagnostic) bool {
	return d.Code == "check-missing" || d.Code == "semantic-change-missing"
}

// printVerdict prints in one line whether the plan holds. Of one that does it
// says what still has to be named or accepted before it is locked and run, so
// that nobody learns it one refusal at a time. agents are those that carry out steps,
// t the terms that were typed, which accept what they name.
func printVerdict(w io.Writer, draft *plan.Draft, found []plan.Diagnostic, agents []string, t terms) {
	errors, warnings, notes := plan.Tally(found)
	tally := fmt.Sprintf("%s, %s, %s", plural(errors, "error"), plural(warnings, "warning"), plural(notes, "note"))
	if errors > 0 {
		fmt.Fprintf(w, "%s: the plan is refused. Nothing was written.\n", tally)
		if draft.Format != plan.Native && len(draft.Files) > 0 && slices.ContainsFunc(found, lacksWords) {
			fmt.Fprintf(w, "A native plan has words for that:  planlock convert %s --to native -o plan.toml\n"+
				"Another profile records it:  --profile scoped\n", quoted(displayPath(draft.Files[0].Path)))
		}
		return
	}
	if cannotRun(found) {
		fmt.Fprintf(w, "%s: the plan keeps the rules of its format, but it cannot run. Nothing was written.\n",
			tally)
		return
	}
	steps := 0
	for _, t := range draft.Plan.Tasks {
		steps += len(t.Steps)
	}
	fmt.Fprintf(w, "%s: the plan holds (%s in %s, profile %s, digest %s).\n", tally,
		plural(steps, "step"), plural(len(draft.Plan.Tasks), "task"), draft.Plan.Profile, draft.Plan.Digest().Short())
	printUnbound(w, &draft.Plan)
	for _, name := range strangers(&draft.Plan) {
		if slices.ContainsFunc(agents, func(word string) bool { return word == name || strings.HasPrefix(word, name+"=") }) {
			continue
		}
		if _, known := agent.Named(name); known {
			fmt.Fprintf(w, "To run it, have the agent %s carry out steps: --agent %s\n", name, name)
			continue
		}
		fmt.Fprintf(w, "To run it, say who %s is: --executor %s=PATH\n", escaped(name), quoted(name))
	}
	if steps := promptsOnly(&draft.Plan, nil, byDefault); len(steps) > 0 && len(agents) == 0 {
		who := "who understands prompts: --agent NAME (planlock agents lists them), or --executor PATH"
		if draft.Format == plan.PendingActions { // whose jobs reviewers propose
			who += ", or who proposes jobs: --reviewer NAME=PATH"
		}
		fmt.Fprintf(w, "To run it, say %s   %s\n", who, escaped(stepsNamed(steps)))
	}
	if steps := promptsOnly(&draft.Plan, nil, shellByName); len(steps) > 0 {
		fmt.Fprintf(w, "To run it, %s   %s\n", unname, escaped(stepsNamed(steps)))
	}
	if backups := wordyBackups(&draft.Plan); len(backups) > 0 {
		fmt.Fprintf(w, "Backups that have words alone fail where nobody but the shell is there: %s\n",
			escaped(strings.Join(backups, ", ")))
	}
	for _, a := range draft.Plan.Acknowledgements() {
		if a.Code == plan.WritableCode && t.names(draft.Plan.Sandbox.Writable) {
			continue
		}
		fmt.Fprintf(w, "To lock it, accept: --ack %s   %s\n", quoted(a.Code), escaped(a.Text))
	}
}

// printUnbound tells of steps that the plan holds to no files, so that nothing is
// undone for what it does not name.
func printUnbound(w io.Writer, p *plan.Plan) {
	loose := p.Unbound()
	if len(loose) == 0 {
		return
	}
	how := "name the files of each task"
	if p.Profile == plan.Observe {
		how = "--profile scoped holds steps to the files that the plan names for them"
	}
	fmt.Fprintf(w, "What %s may change is not bound: what is not declared is recorded and kept, and not undone; %s.\n",
		escaped(stepsNamed(loose)), how)
}

// warnOfErrors says that what was printed is of a plan with errors.
func (p *cli) warnOfErrors(errors int, path string) {
	p.warn("the plan has %s; planlock check %s shows them", plural(errors, "error"), quoted(path))
}

// refusedBy is the status that diagnostics stand for, told already.
func refusedBy(found []plan.Diagnostic) error {
	if errors, _, _ := plan.Tally(found); errors > 0 {
		return &quietError{statusRefused}
	}
	return nil
}

// promptsOnly are the open steps that leave their work to one of some executors,
// and have only words for it. Steps that were accepted as done are none of them.
func promptsOnly(p *plan.Plan, accepted []string, some func(executor string) bool) []plan.Address {
	var list []plan.Address
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			s := &p.Tasks[i].Steps[j]
			if some(s.By()) && s.Run == "" && s.Prompt != "" &&
				orOpen(s.Status) == plan.Open &&
				!slices.Contains(accepted, s.Address.DoneCode()) {
				list = append(list, s.Address)
			}
		}
	}
	return list
}

// byDefault reports whether work is left to whoever the default executor is.
func byDefault(executor string) bool { return executor == "" }

// shellByName reports whether work is left to the shell by name.
func shellByName(executor string) bool { return executor == "shell" }

// unname is what mends a prompt that is left to the shell by name.
const unname = `give a run, or leave out executor = "shell", which understands no prompts`

// wordyBackups are the first backups that are left to whoever the default
// executor is, or to the shell by name, and have only words for it.
func wordyBackups(p *plan.Plan) (list []string) {
	const most = 8
	for _, s := range p.Steps() {
		for _, b := range s.Backups {
			if by := b.By(s); (byDefault(by) || shellByName(by)) && b.Run == "" && b.ToolPath == "" {
				if len(list) == most {
					return append(list, "…")
				}
				list = append(list, fmt.Sprintf("%s backup %s", s.Address, b.ID))
			}
		}
	}
	return list
}

// seatsPrompts refuses a plan of which steps could only fail, because the shell
// would get their prompts.
//
// A command is added to the plan where its format has a place for one; path is
// that of a plan which may be converted to the format that does, or "".
func seatsPrompts(c *exec.Controller, p *plan.Plan, accepted []string, format plan.Format, path string) error {
	byShell := func(executor string) bool {
		x, named := c.Executors[executor]
		if !named && shellByName(executor) {
			x = c.Executors[""]
		}
		_, is := x.(*shell.Executor)
		return is
	}
	steps := promptsOnly(p, accepted, byShell)
	if len(steps) == 0 || len(c.Reviewers) > 0 { // whose jobs may be what runs
		return nil
	}
	why := "nobody but the shell is there to carry it out"
	hint := "name who understands prompts:  --agent NAME (planlock agents lists them), or --executor PATH"
	switch {
	case len(promptsOnly(p, accepted, shellByName)) > 0:
		why, hint = "only the shell would carry it out", unname+"; then "+hint
	case format == plan.Native:
		hint += "; or give the step a run"
	case path != "":
		hint += "\n  hint: or write the plan as TOML, and give the step a run there:  planlock convert " +
			quoted(displayPath(path)) + " --to native -o plan.toml --dir " + quoted(cmp.Or(c.Dir, "."))
	}
	return &exec.RefusedError{
		Reasons: []string{
			fmt.Sprintf("%s %s a prompt and no command, and %s", stepsNamed(steps), hasOrHave(len(steps)), why)},
		Hint: hint,
	}
}

// stepsNamed names the first few steps.
func stepsNamed(steps []plan.Address) string {
	const most = 8
	text := "step "
	if len(steps) > 1 {
		text = "steps "
	}
	text += plan.Addresses(steps[:min(most, len(steps))])
	if more := len(steps) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// hasOrHave is the word that goes with a number of steps.
func hasOrHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// strangers are the executors that steps ask for and planlock does not bring,
// in the order of the plan.
func strangers(p *plan.Plan) []string {
	var names []string
	add := func(name string) {
		if name != "" && name != "shell" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			s := &p.Tasks[i].Steps[j]
			add(s.Executor)
			for _, b := range s.Backups {
				add(b.Executor)
			}
		}
	}
	return names
}
