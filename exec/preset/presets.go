package preset

import (
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/modes"
	"github.com/planlock/planlock/exec/recovery"
)

// Contract does what the plan says and nothing else: retry, the backups, ask. A
// retry waits only where time alone may mend the failure.
func Contract() Preset {
	return Preset{
		Name: "contract",
		Doc:  "what the plan says and nothing else: its retries, its backups, then a person",
		Ladder: recovery.Ladder{
			recovery.Retry{Backoff: recovery.Backoff{First: time.Second, Most: 30 * time.Second}},
			recovery.Backup{},
			recovery.Ask{},
		},
		Views: []string{"report.json", "report.html", "SUMMARY.md"},
	}
}

// spec tries every other way that the plan has before it tries one again, asks
// about critical steps, and measures how the run goes.
func spec() Preset {
	return Preset{
		Name: "spec",
		Doc:  "backups first, then a person for critical steps; dynamic mode asks by what it measures",
		Ladder: recovery.Ladder{
			recovery.Backup{},
			recovery.Retry{},
			recovery.Ask{},
		},
		Triggers: history.Triggers{
			Consecutive: modes.DefaultConsecutive, Window: modes.DefaultWindow,
			SameBackup: modes.DefaultSameBackup, Exhausted: modes.DefaultExhausted, BackupRate: modes.DefaultBackupRate,
			MismatchRate: modes.DefaultMismatchRate, RetryGrowth: modes.DefaultRetryGrowth,
			ViolationRate: modes.DefaultViolationRate,
		},
		Compliance: true,
		Lenient:    true,
		Views:      []string{"progress_*.json", "notepad_*.md", "execution_learnings_*.md"},
	}
}

// phase is a builder and a validator: what the validator finds goes back to the
// builder, three rounds in all, and then somebody decides about every step.
func phase() Preset {
	return Preset{
		Name: "phase",
		Doc:  "the validator's findings go back to the builder, three rounds in all, then a person decides",
		Ladder: recovery.Ladder{
			recovery.Feedback{Rounds: 3},
			recovery.Backup{},
			recovery.Ask{Always: true},
		},
		Views: []string{"SUMMARY.md", "checkpoint-*.json"},
	}
}

// assistant keeps at it: three retries for each approach, three other
// approaches, twice more reading, and then it asks.
func assistant() Preset {
	return Preset{
		Name: "assistant",
		Doc:  "three retries, three other approaches, two rounds of research, then a person",
		Ladder: recovery.Ladder{
			recovery.Retry{Times: 3, Approaches: true,
				Backoff: recovery.Backoff{First: time.Second, Most: 8 * time.Second, Always: true}},
			recovery.Backup{},
			recovery.Pivot{Times: 3},
			recovery.Research{Times: 2},
			recovery.Ask{Always: true},
		},
		Views: []string{"checkpoint.yaml", "chk-*.yaml", "next-session.md", "stuck-report.md"},
	}
}

// reflective never repeats blindly: a reflection finds the cause and proposes a
// patch, twice at each point of the pipeline, where it is sure enough.
func reflective() Preset {
	return Preset{
		Name: "reflective",
		Doc:  "a reflection proposes a patch, with confidence of 0.70 at least, twice at each point; then backups, then a person",
		Ladder: recovery.Ladder{
			recovery.Reflect{Times: 2, Confidence: 0.70},
			recovery.Backup{},
			recovery.Ask{},
		},
		Views: []string{"summary.json", "report.md", "task_drafts.json", "approval_gate.jsonl",
			"executive_team_manifest.json", "agent_status_report.md", "pending_actions.json"},
	}
}

// A Preset is a way to cope with failure.
type Preset struct {
	Name   string
	Doc    string          // for people, one sentence
	Ladder recovery.Ladder // what is tried after a failure, in order
	// Triggers are when dynamic mode begins to ask; zero fields are the
	// defaults of package modes.
	Triggers history.Triggers
	// Compliance looks at each task before its first step, and asks where an
	// article is broken.
	Compliance bool
	// Lenient has what needs a step that is not critical go on where that failed:
	// the failure is logged. Else it is blocked, as behind a critical one.
	Lenient bool
	// Views are the documents that the preset is about, as patterns of their
	// names. All views are drawn of every run, whatever its preset.
	Views []string
}

// All are the presets, in the order in which they are explained.
func All() []Preset {
	return []Preset{Contract(), spec(), phase(), assistant(), reflective()}
}
