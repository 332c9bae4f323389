package analysis

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// Backups say which backups were worth having.
type Backups struct {
	Used []BackupUse // those that were tried, in the order of the plan; equal descriptions are one
	Rate Rate        // attempts with a backup that succeeded, of all
}

// A BackupUse is how often backups of a description were tried, and helped.
type BackupUse struct {
	Description string
	Rate        Rate
	Steps       []plan.Address
}

// backups counts attempts, not steps: a backup that was tried three times and
// helped once has a rate of 1 of 3. One that was cut off shows nothing. Attempts
// before a rollback count too, since they show as much.
func backups(p *plan.Plan, r *history.Run) Backups {
	var b Backups
	for _, row := range rows(p, r) {
		for _, a := range attempts(row.was) {
			at := slices.IndexFunc(row.step.Backups,
				func(x plan.Backup) bool { return "backup_"+x.ID == a.Method.Method })
			if at < 0 || a.Faultless() {
				continue
			}
			description := row.step.Backups[at].Description
			i := slices.IndexFunc(b.Used, func(u BackupUse) bool { return u.Description == description })
			if i < 0 {
				i = len(b.Used)
				b.Used = append(b.Used, BackupUse{Description: description})
			}
			u := &b.Used[i]
			if !slices.Contains(u.Steps, row.was.Address) {
				u.Steps = append(u.Steps, row.was.Address)
			}
			u.Rate.Of++
			b.Rate.Of++
			if a.Failure == nil && row.was.Status == history.Completed {
				u.Rate.N++
				b.Rate.N++
			}
		}
	}
	return b
}
