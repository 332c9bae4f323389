package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// mostDecisions is how many decisions a game may take. A longer one does not
// end.
const mostDecisions = 2000

// A Game is one history of one plan, under one policy.
type Game struct {
	dice    dice
	decider *engine.Decider
	run     *history.Run
	seen    guard.Seen
	now     time.Time
	seq     uint64
	trees   int
	judge   judge
	left    bool // nobody takes the run up any more: it waits

	// Decisions counts what was decided, Lanes the attempts that ran beside
	// others, and Aside those of them that were set aside when they were joined.
	Decisions, Lanes, Aside int
	// Wants sees what is wanted before it is done, and may put something else
	// in its place; nil leaves it. Tests plant faults here.
	Wants func(c *guard.Case, wanted []engine.Wanted) []engine.Wanted
	// Work is what is recorded of an attempt between what its executor said and
	// its end, and End what is recorded when the run ends. Decisions look at
	// neither: New makes the first nothing, and the second that it is achieved.
	Work func(s *history.Step, attempt int) []history.Fact
	End  func() []history.Fact
}

// New makes the game of a seed.
func New(seed uint64) *Game {
	d := dice{rand.New(rand.NewPCG(seed, 0))}
	p, beside := randomPlan(d), d.in(3)
	if beside {
		p = lanesPlan(d)
	}
	chosen := pick(d, preset.All()...)
	policy := history.Policy{Preset: chosen.Name, Triggers: chosen.Triggers, Compliance: chosen.Compliance || d.in(4),
		Lenient: chosen.Lenient, Strategy: pick(d, "", history.Direct, history.Orchestrated)}
	roles := history.Roles{Escalator: !d.in(6), Evidence: d.in(4), Deaf: []string{"shell"}}
	if d.in(4) {
		roles.Reviewers = []string{"somebody"}
	}
	if d.in(2) {
		policy.Triggers = history.Triggers{Consecutive: 1}
	}
	if d.in(3) {
		policy.TokenBudget = 1000
	}
	reflects := !d.in(4)
	for _, kind := range advice.Kinds() {
		if reflects || kind != advice.Reflection {
			roles.Advisors = append(roles.Advisors, string(kind))
		}
	}
	g := &Game{dice: d, run: &history.Run{}, now: time.Unix(1_700_000_000, 0).UTC(),
		decider: engine.New(&guard.Contract{Plan: p}, chosen.Ladder)}
	g.Work = func(*history.Step, int) []history.Fact { return nil }
	g.End = func() []history.Fact { return []history.Fact{&history.Ended{Status: history.Achieved}} }
	policy.Mode = pick(d, plan.Silent, plan.Dynamic, plan.Dynamic, plan.Collaborative, plan.Education)
	policy.Jobs = pick(d, 0, 1, 2, 3, 4)
	policy.OnConflict = pick(d, "", "sequential")
	layer := pick(d, plan.Clone, plan.Clone, plan.InPlace)
	if beside {
		policy.Jobs, layer = pick(d, 2, 3, 4), plan.Clone
	}
	g.start(p, policy, roles, layer)
	return g
}

// Run is the history so far.
func (g *Game) Run() *history.Run { return g.run }

// Decider is whose decisions are played.
func (g *Game) Decider() *engine.Decider { return g.decider }

// start begins the run.
func (g *Game) start(p *plan.Plan, policy history.Policy, roles history.Roles, layer plan.Layer) {
	started := &history.Started{Run: "SIMULATED", Goal: p.Goal, Format: plan.Native, Profile: p.Profile, Plan: "sha256:p",
		Envelope: &envelope.Envelope{}, Base: g.tree(), Policy: policy, Roles: roles,
		Layer: layer}
	for _, a := range flow.Order(p, plan.Native) {
		task, step := g.decider.Contract.At(a)
		started.Steps = append(started.Steps, history.Outline{Address: a, Task: task.ID, Title: "step",
			Critical: step.IsCritical(), Rollback: step.Rollback})
		if g.dice.in(12) {
			started.Acknowledged = append(started.Acknowledged, a.DoneCode())
		}
	}
	started.Shadow = len(started.Acknowledged) == 3 // seldom, and without a throw: other games stay as they are
	if g.dice.in(6) {
		left := g.tree()
		started.From = &history.Origin{Run: "EARLIER", Left: left, Placed: left}
	}
	g.fold(history.Where{}.Locate(started)...)
	if started.From != nil {
		g.takeOver()
	}
}

// takeOver has the run take over some steps of another one: none without those
// that it needs.
func (g *Game) takeOver() {
	for _, s := range g.run.Steps {
		open := slices.ContainsFunc(g.run.Steps, func(o *history.Step) bool {
			return o.Carried == nil && o.Precedes(s) && (o.Task == s.Task || g.decider.Contract.Needs(s.Task, o.Task))
		})
		if open || g.dice.in(3) {
			continue
		}
		fact := &history.StepCarried{Run: "EARLIER", Seq: 1, Basis: history.Proved, Snapshot: g.run.Tree}
		if g.dice.in(5) {
			fact.Settled = "somebody"
		}
		g.fold(s.Where(0).Locate(fact)...)
		g.judge.carried = append(g.judge.carried, s.Address)
	}
}

// tree is a snapshot that no other step has made.
func (g *Game) tree() record.Snapshot {
	g.trees++
	d := ledger.Digest(fmt.Sprintf("sha256:%d", g.trees))
	return record.Snapshot{Tree: d, Manifest: d}
}

// fold has facts happen. Each takes a second.
func (g *Game) fold(facts ...history.Located) {
	for _, l := range facts {
		g.seq++
		g.now = g.now.Add(time.Second)
		if f, asks := l.Fact.(*history.Asked); asks {
			f.Question.Asked = g.now
			g.judge.asked(g.run, f.Question)
		}
		if _, back := l.Fact.(*history.RolledBack); back {
			g.judge.setBack()
		}
		rec := record.Record{Seq: g.seq, Time: g.now, Fact: record.Fact{
			Type: l.Fact.Type(), Step: string(l.Where.Step), Attempt: l.Where.Attempt}}
		if err := g.run.Fold(rec, l.Fact); err != nil {
			g.judge.broken("a fact that cannot follow: %v", err)
		}
	}
	g.seen.Forget(disturbance.Recorded...)
}

// choose is a random answer to a question.
func (g *Game) choose(q ask.Question) ask.Answer {
	picked := pick(g.dice, q.Choices...)
	for range 3 { // who only ever stops gets nowhere
		if picked.Key != "s" && picked.Key != "x" && picked.Key != "b" {
			break
		}
		picked = pick(g.dice, q.Choices...)
	}
	a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: picked.Key,
		Acknowledged: picked.Acknowledge, By: "somebody", At: g.now}
	if picked.NeedsReason {
		a.Reason = "do it otherwise"
	}
	return a
}
