package compliance

import (
	"fmt"

	"github.com/planlock/planlock/plan"
)

// An Article is one of the rules that a run keeps.
type Article string

const (
	Propagation Article = "IV"   // errors propagate
	Balance     Article = "VI"   // critical steps are balanced
	Backups     Article = "VII"  // backups are other ways
	Reading     Article = "VIII" // outcomes of earlier steps are read
	Escalation  Article = "IX"   // people are asked in time, and not without need
	Logging     Article = "X"    // everything is logged
	Knowledge   Article = "XV"   // what was learned is kept
)

// Articles are all of them, in order.
var articles = []Article{Propagation, Balance, Backups, Reading, Escalation, Logging, Knowledge}

// Title is what the article is about.
func (a Article) Title() string {
	return map[Article]string{
		Propagation: "errors propagate", Balance: "critical steps are balanced", Backups: "backups are other ways",
		Reading: "earlier outcomes are read", Escalation: "people are asked in time", Logging: "everything is logged",
		Knowledge: "knowledge is kept",
	}[a]
}

// Severity of a finding.
type Severity string

const (
	Warning  Severity = "warning"  // is recorded, and the run goes on
	Critical Severity = "critical" // a person is asked before the task begins
)

// What a finding takes from a score of 100.
const (
	WarningCost  = 8
	CriticalCost = 20
)

// Cost is what a finding of the severity takes from the score.
func (s Severity) Cost() int {
	if s == Critical {
		return CriticalCost
	}
	return WarningCost
}

// A Finding is a violation of an article.
type Finding struct {
	Article  Article      `json:"article"`
	Severity Severity     `json:"severity"`
	Task     string       `json:"task_id,omitempty"`
	Step     plan.Address `json:"step,omitempty"`
	Why      string       `json:"description"`
	Action   string       `json:"corrective_action"`
}

func (f Finding) String() string {
	where := ""
	if f.Step != "" {
		where = " step " + string(f.Step)
	} else if f.Task != "" {
		where = " task " + f.Task
	}
	return fmt.Sprintf("article %s%s: %s (%s)", f.Article, where, f.Why, f.Severity)
}

// A Ratio is how many of the steps are critical.
type Ratio struct {
	Critical int `json:"critical_count"`
	Total    int `json:"total_count"`
}

// Value is the share of critical steps, 0 where there are none.
func (r Ratio) Value() float64 {
	if r.Total == 0 {
		return 0
	}
	return float64(r.Critical) / float64(r.Total)
}

// The share of critical steps of a whole plan that is recommended, in percent.
const (
	leastCritical = 40
	mostCritical  = 60
)

// Recommended reports whether the share lies between 40 and 60 percent.
func (r Ratio) Recommended() bool {
	return r.Total > 0 && 100*r.Critical >= leastCritical*r.Total && 100*r.Critical <= mostCritical*r.Total
}

// ratioOf counts the steps of tasks, and the critical ones among them.
func ratioOf(tasks ...plan.Task) Ratio {
	var r Ratio
	for _, t := range tasks {
		for i := range t.Steps {
			r.Total++
			if t.Steps[i].IsCritical() {
				r.Critical++
			}
		}
	}
	return r
}
