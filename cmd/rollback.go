package cmd

import (
	"context"
	"fmt"
	"os"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// rollbackCommand is "planlock rollback": it sets the tree back to before a
// step. What was there is kept, and its digest is printed. With --request it
// does nothing itself: whoever has the run in hand, or resumes it, is asked to,
// and a person decides. The journal of a run that has ended accepts nothing any
// more, so that it was set back stands in one beside it.
type rollbackCommand struct {
	arguments
	workspaceFlag
	Request bool   `help:"ask it of a run that is under way, or of whoever resumes it, instead of doing it now"`
	Reason  string `placeholder:"WORDS" help:"why; it stands in the journal, and is needed with --request"`
	acceptFlag
}

// acceptFlag is what those accept who have no plan at hand.
type acceptFlag struct {
	Accept []string `placeholder:"NAME" sep:"none" help:"do it although this moved, by the name that the refusal gives it, as in \"signing key\"; it stands in the journal with your name"`
}

// Run carries the command out.
func (f *rollbackCommand) Run(ctx context.Context, p *cli) error {
	prefix, args := f.split(1)
	run, err := findRun(ctx, p.workspace(f.Dir), prefix)
	if err == nil {
		err = p.ofHere(p.workspace(f.Dir), run)
	}
	if err != nil {
		return err
	}
	step := plan.Address(args[0])
	if mark := markOf(run, args[0]); mark != nil {
		if step = after(run, *mark); step == "" {
			return about(run, &exec.RefusedError{Run: run.Started.Run,
				Reasons: []string{fmt.Sprintf("nothing was begun since checkpoint %s: there is nothing to take back",
					mark.ID)}})
		}
	}
	if run.Step(step) == nil {
		_, _, err := attemptOf(run, step, 0)
		return err
	}
	if f.Request {
		return p.request(ctx, run, f.Dir, ask.Request{Kind: ask.Rollback, Step: step, Reason: f.Reason})
	}
	c := p.controller(f.Dir)
	_, c.LockFile = p.workspace(f.Dir).Sources(run)
	p.sign(c)
	done, err := c.Rollback(ctx, run.Started.Run, step, defaultName(), f.Reason, f.Accept...)
	if err != nil {
		return about(run, err)
	}
	where, folder := "The tree", f.Dir
	if done.Clone != "" {
		folder = displayPath(done.Clone)
		where = "The run works in a clone, and the workspace was not touched: the tree of the clone"
	}
	but := ""
	if len(done.Others) > 0 {
		but = ", but for what no step did, which stays"
	}
	fmt.Fprintf(p.out, "%s is as it was before step %s%s.", where, escaped(string(step)), but)
	if len(run.Started.Unversioned) > 0 {
		fmt.Fprint(p.out, " Folders that .gitignore names are no part of it, and stay as they are.")
	}
	fmt.Fprintf(p.out, " What was there is kept as tree %s:\n  planlock tree diff %s %s%s\n",
		done.Kept.Tree.Short(), done.Kept.Tree, escaped(quoted(folder)), inDir(f.Dir))
	p.stays(done.Others)
	if done.Sealed {
		p.outside(run, step)
		fmt.Fprintf(p.out, "Run %s has ended, and its journal and documents stay as they are; that it was set back stands beside them, for status, report, log, learn and --from.\n",
			done.Run)
		lead := "to do that work again  "
		for _, o := range spellingOf(run, f.Dir, run.Policy.Given).anew(p.workspace(f.Dir), run) {
			if o.joint != "" {
				lead = "and " + o.joint + "  "
			}
			fmt.Fprintf(p.out, "%s%s\n", lead, escaped(o.text))
		}
		return nil
	}
	fmt.Fprintf(p.out, "go on with  %s\n", escaped(resumeFrom(run, f.Dir)))
	return nil
}

// outside names what setting a run back that has ended does not undo: what its
// steps did outside of the workspace.
func (p *cli) outside(run *history.Run, step plan.Address) {
	back, _, _ := run.SetBack(run.Step(step))
	for _, s := range back {
		if stays := s.Outlives(); stays != "" && len(s.Attempts) > 0 {
			fmt.Fprintf(p.out, "stays  step %s is %s: %s\n", s.Address, s.Rollback, stays)
		}
	}
}

// markOf is the checkpoint of a run by its id, or nil.
func markOf(run *history.Run, id string) *history.Mark {
	for i := range run.Marks {
		if run.Marks[i].ID == id {
			return &run.Marks[i]
		}
	}
	return nil
}

// after is the first step that was carried out, or went on, since a checkpoint;
// "" where there is none.
func after(run *history.Run, mark history.Mark) plan.Address {
	var first *history.Step
	for _, s := range run.Steps {
		if s.Checkpoint != nil && (!s.Status.Over() || s.EndedAt > mark.Seq) && (first == nil || s.At < first.At) {
			first = s
		}
	}
	if first == nil {
		return ""
	}
	return first.Address
}

// othersShown is how many changes of others are named.
const othersShown = 10

// stays names what no step did, and which stays where a run is set back.
func (p *cli) stays(others []ledger.Change) {
	for i, c := range others {
		if i == othersShown {
			fmt.Fprintf(p.out, "stays  and %d more\n", len(others)-i)
			return
		}
		fmt.Fprintf(p.out, "stays  %s\n", c)
	}
}

// abandonCommand is "planlock abandon".
type abandonCommand struct {
	arguments
	workspaceFlag
	Reason string `placeholder:"WORDS" help:"why nobody wants the run any more"`
	acceptFlag
}

// Run carries the command out.
func (f *abandonCommand) Run(ctx context.Context, p *cli) error {
	run, err := findRun(ctx, p.workspace(f.Dir), f.first())
	if err == nil {
		err = p.ofHere(p.workspace(f.Dir), run)
	}
	if err != nil {
		return err
	}
	if f.Reason == "" {
		return &usageError{"--reason: say why; it stands in the journal"}
	}
	ws, c := p.workspace(f.Dir), p.controller(f.Dir)
	c.Observe = func(_ context.Context, e event.Event) {
		if e.Kind == event.Warning { // what is undone, for one
			fmt.Fprintln(p.out, warningLine(e, spelling{dir: f.Dir}.spell))
		}
	}
	p.sign(c)
	p.takeBack(ctx, run, f.Reason)
	report, err := c.Abandon(ctx, run.Started.Run, defaultName(), f.Reason, f.Accept...)
	if err != nil {
		return about(run, err)
	}
	stays := "What was completed stays."
	if report.Run.Started.Isolated && report.Run.Delivered == nil {
		stays = "It worked in a clone, and the workspace was not touched."
		if clone := ws.WorkDir(report.Run); exists(clone) {
			stays += " What was completed stays in the clone: " + escaped(displayPath(clone))
		}
	}
	fmt.Fprintf(p.out, "Run %s was abandoned and has ended %s. %s\n", report.Run.Started.Run, report.Status(), stays)
	return nil
}

// exists reports whether something lies at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// warningLine is a warning with how to look at what it is about.
func warningLine(e event.Event, spell action.Speller) string {
	text := "warning: " + escaped(e.Text)
	for _, a := range e.Actions {
		text += "; " + escaped(spell.Say(a))
	}
	return text
}

// obsoleteCommand is "planlock obsolete": it says that the plan of a run no
// longer holds. The run stops at its checkpoint and asks a person whether to
// plan again, to go on, or to end. Nothing is decided here.
type obsoleteCommand struct {
	arguments
	workspaceFlag
	Reason string `placeholder:"WORDS" help:"why the plan no longer holds"`
}

// Run carries the command out.
func (f *obsoleteCommand) Run(ctx context.Context, p *cli) error {
	run, err := findRun(ctx, p.workspace(f.Dir), f.first())
	if err != nil {
		return err
	}
	return p.request(ctx, run, f.Dir, ask.Request{Kind: ask.Obsolete, Reason: f.Reason})
}

// request leaves a request for whoever has a run in hand, or resumes it.
func (p *cli) request(ctx context.Context, run *history.Run, dir string, r ask.Request) error {
	if r.Reason == "" {
		return &usageError{"--reason: say why; it is shown to whoever decides"}
	}
	r.Run, r.By = run.Started.Run, defaultName()
	if err := p.workspace(dir).Request(ctx, r); err != nil {
		return about(run, err)
	}
	when := "stops at its checkpoint and asks, at once if it is under way; else when it goes on"
	if len(run.Questions()) > 0 {
		when = "asks after the question that waits, when it goes on"
	}
	fmt.Fprintf(p.out, "Run %s %s:\n  %s\n", r.Run, when, escaped(resumeFrom(run, dir)))
	return nil
}
