package cmd

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/safetext"
)

// recordLine is a record on one line: position, time, step, attempt, type, what it says.
func recordLine(rec record.Record) string {
	where := rec.Step
	if rec.Attempt > 0 {
		where += fmt.Sprintf("#%d", rec.Attempt)
	}
	line := fmt.Sprintf("%5d  %s  %-7s  %-15s", rec.Seq, rec.Time.UTC().Format("2006-01-02 15:04:05.000"), escaped(where), escaped(rec.Type))
	fact, err := history.Decode(rec)
	if err != nil {
		return line + "  " + escaped(err.Error())
	}
	return strings.TrimRight(line+"  "+safetext.Clip(fact.String(), 160), " ")
}
