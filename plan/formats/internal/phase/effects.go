package phase

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/wordlist"
)

// acting are the keys of a front matter that mean something to a run.
var acting = wordlist.List{Text: `phase plan wave depends_on must_haves title files_modified`}

// telling are those that describe a plan to people. They are kept with its
// settings.
var telling = wordlist.List{Text: `author autonomous created created_at created_by date description domain effort estimate estimated_complexity
	estimated_effort estimated_hours id last_updated milestone name phase_name priority project requirements scope status subsystem
	subsystems tags task_count tech_stack total_tasks type updated updated_at version`}

// effects warns of what stands in a plan and does nothing: keys of the front
// matter, misspelt labels, and commands that say how a task is verified and are
// not run.
func (r *reader) effects() {
	var idle []string
	first := value{}
	for _, m := range r.front.items {
		if m.key == "" || acting.Has(m.key) || telling.Has(m.key) {
			continue
		}
		if len(idle) == 0 {
			first = m
		}
		idle = append(idle, m.key)
	}
	if len(idle) > 0 {
		r.report("key-without-effect", plan.Warning, r.t.At(first.line),
			fmt.Sprintf("nothing acts on these keys of the front matter: %s", strings.Join(idle, ", ")),
			"what a run is to heed is said in tasks, depends_on, wave, files_modified and must_haves; they are kept as settings")
	}
	for i := range r.tasks {
		t := &r.tasks[i]
		if r.front.get("type").text == "tdd" && !checkpointKind(t.kind) {
			t.tdd = true
		}
		for _, m := range t.misspelt {
			r.Misspelt(r.t.At(m.line), t.id, t.name(i), m.said, m.label)
		}
		for _, text := range t.verify.NotRun {
			r.NotRun(r.t.At(t.verifyAt), t.id, t.name(i), text)
		}
	}
}
