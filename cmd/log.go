package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
)

// logCommand is "planlock log": it prints records of a journal, each on one
// line; behind them those of what was done with the work of a run since it was
// sealed, with a plus before their positions. A type that no record can have is a
// mistake in the call and not an empty answer.
type logCommand struct {
	arguments
	workspaceFlag
	Step    string   `placeholder:"STEP" help:"only records of this step, as in 2.1"`
	Attempt int      `placeholder:"NUMBER" help:"only records of this attempt; attempts count from 1"`
	Since   string   `placeholder:"TIME" help:"only records since a time: 2026-01-02T15:04:05Z, or how long ago, as in 10m"`
	Type    []string `sep:"none" placeholder:"TYPE" help:"only records of this type, as in judged; may be repeated"`
	Follow  bool     `help:"go on with records as they are written, until the run ends; one that waits or was cut off has not ended"`
	Format  string   `enum:"text,jsonl" default:"text" placeholder:"FORMAT" help:"the output's format: text or jsonl"`
}

// Run carries the command out.
func (f *logCommand) Run(ctx context.Context, p *cli) error {
	q := history.Query{Step: plan.Address(f.Step), Attempt: f.Attempt, Types: f.Type}
	var err error
	if q.Since, err = p.moment(f.Since); err != nil {
		return err
	}
	ws := p.workspace(f.Dir)
	id, err := find(ctx, ws, f.first())
	if err != nil {
		return err
	}
	records, err := ws.Records(ctx, id)
	if err != nil {
		return err
	}
	var after []record.Record
	run := &history.Run{}
	if q.Step != "" || ws.HasAfterwards(ctx, id) {
		if run, err = ws.History(ctx, id); err == nil {
			after, err = ws.Afterwards(ctx, run)
		}
		if err != nil {
			return err
		}
	}
	if err := checkQuery(q, typesOf(slices.Concat(records, after))); err != nil {
		return err
	}
	if q.Step != "" {
		if run.Step(q.Step) == nil {
			_, _, err := attemptOf(run, q.Step, 0)
			return err
		}
	}
	out := bufio.NewWriter(p.out)
	for _, rec := range records {
		if err := f.print(out, q, rec, false); err != nil {
			return err
		}
	}
	if f.Follow {
		if err := f.follow(ctx, out, ws, id, q, uint64(len(records))); err != nil {
			return watched(ctx, err)
		}
	}
	for _, rec := range after {
		if err := f.print(out, q, rec, true); err != nil {
			return err
		}
	}
	return out.Flush()
}

// follow prints the records behind one of a run, each as soon as it is there.
func (f *logCommand) follow(ctx context.Context, out *bufio.Writer, ws exec.Workspace, run string, q history.Query,
	behind uint64) error {
	if err := out.Flush(); err != nil {
		return err
	}
	for e, err := range ws.Follow(ctx, run, behind) {
		if err == nil {
			err = f.print(out, q, *e.Record, false)
		}
		if err = errors.Join(err, out.Flush()); err != nil {
			return err
		}
	}
	return nil
}

// print prints a record, if it was asked for; after says that it is one of what
// was done since the run was sealed.
func (f *logCommand) print(w io.Writer, q history.Query, rec record.Record, after bool) error {
	position := fmt.Sprint(rec.Seq)
	if after {
		position = "+" + position
	}
	switch {
	case !q.Matches(rec):
		return nil
	case f.Format == "text":
		_, err := fmt.Fprintln(w, recordLine(rec, position))
		return err
	case after:
		return writeLine(w, afterRecord{rec, true})
	}
	return writeLine(w, rec)
}

// An afterRecord is one of the journal beside that of a sealed run.
type afterRecord struct {
	record.Record
	After bool `json:"after_end"`
}

// typesOf lists the types of records, sorted.
func typesOf(records []record.Record) []string {
	var types []string
	for _, rec := range records {
		if i, found := slices.BinarySearch(types, rec.Type); !found {
			types = slices.Insert(types, i, rec.Type)
		}
	}
	return types
}

// checkQuery refuses types that no record has; known are those of the run.
func checkQuery(q history.Query, known []string) error {
	for _, t := range q.Types {
		if !slices.Contains(history.Types(), t) {
			return &usageError{fmt.Sprintf("--type %q is no type of record; those of a run are %s", t,
				strings.Join(known, ", "))}
		}
	}
	if q.Attempt < 0 {
		return &usageError{"--attempt: attempts count from 1"}
	}
	return nil
}

// moment reads a time, or how long ago it was.
func (p *cli) moment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return p.now().Add(-d.Abs()), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, &usageError{fmt.Sprintf("--since %q is neither a time as in 2026-01-02T15:04:05Z nor a duration as in 10m", text)}
}

// recordLine is a record on one line: position, time, step, attempt, type, what
// it says.
func recordLine(rec record.Record, position string) string {
	where := rec.Step
	if rec.Attempt > 0 {
		where += fmt.Sprintf("#%d", rec.Attempt)
	}
	line := fmt.Sprintf("%5s  %s  %-7s  %-15s", position, rec.Time.UTC().Format("2006-01-02 15:04:05.000"),
		escaped(where), escaped(rec.Type))
	fact, err := history.Decode(rec)
	if err != nil {
		return line + "  " + escaped(err.Error())
	}
	return strings.TrimRight(line+"  "+safetext.Clip(fact.String(), 160), " ")
}
