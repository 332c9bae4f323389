package cmd

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

func prepareLog(p *cli, flags *flag.FlagSet) action {
	dir := flags.String("dir", ".", "the workspace, a `folder`")
	step := flags.String("step", "", "only records of this `step`, as in 2.1")
	attempt := flags.Int("attempt", 0, "only records of this attempt, a `number` from 1")
	since := flags.String("since", "", "only records since a `time`: 2026-01-02T15:04:05Z, or how long ago, as in 10m")
	format := flags.String("format", "text", "the output's `format`: text or jsonl")
	var types list
	flags.Var(&types, "type", "only records of this `type`, as in gate; may be repeated")
	return func(ctx context.Context, args []string) error {
		if err := oneOf("format", *format, "text", "jsonl"); err != nil {
			return err
		}
		q := history.Query{Step: plan.Address(*step), Attempt: *attempt, Types: types}
		var err error
		if q.Since, err = p.moment(*since); err != nil {
			return err
		}
		ws := workspaceIn(*dir)
		id, err := find(ws, first(args))
		if err != nil {
			return placed(err, *dir, "", nil)
		}
		records, err := ws.Records(ctx, id)
		if err != nil {
			return placed(err, *dir, "", nil)
		}
		if err := checkQuery(q, typesOf(records)); err != nil {
			return err
		}
		if q.Step != "" {
			run, err := ws.History(ctx, id)
			if err != nil {
				return placed(err, *dir, "", nil)
			}
			if run.Step(q.Step) == nil {
				_, _, err := attemptOf(run, q.Step, 0)
				return err
			}
		}
		out := bufio.NewWriter(p.out)
		for _, rec := range records {
			if !q.Matches(rec) {
				continue
			}
			if *format == "jsonl" {
				err = writeLine(out, rec)
			} else {
				_, err = fmt.Fprintln(out, recordLine(rec))
			}
			if err != nil {
				return err
			}
		}
		return out.Flush()
	}
}

// typesOf lists the types of records, sorted.
func typesOf(records []checkpoint.Record) []string {
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
		if _, err := history.Decode(checkpoint.Record{Fact: checkpoint.Fact{Type: t, Data: []byte("{}")}}); err != nil {
			return &usageError{fmt.Sprintf("--type %q is no type of record; those of a run are %s", t, strings.Join(known, ", "))}
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
