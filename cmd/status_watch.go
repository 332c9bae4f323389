package cmd

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/planlock/planlock/cmd/internal/changes"
	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// watch shows where a run stands whenever that changes, until the run ends: on a
// terminal in one place, else one below the other.
//
// It reads the run anew each time, and shows only what is new: of what changes
// faster than that, the latest.
func (f *statusCommand) watch(ctx context.Context, p *cli, ws exec.Workspace, run *history.Run) error {
	show := f.shower(ctx, p)
	if err := show(run); err != nil || run.Sealed != nil {
		return err
	}
	id := run.Started.Run
	for err := range changes.Of(ctx, ws, id, run.Head.Seq) {
		if err == nil {
			run, err = ws.History(ctx, id)
		}
		if err == nil {
			err = show(run)
		}
		if err != nil {
			return watched(ctx, err)
		}
	}
	return nil
}

// watched is how it ends to watch: who stops that has stopped nothing else.
func watched(ctx context.Context, err error) error {
	if err != nil && interruption(ctx) != nil {
		return &quietError{statusInterrupted}
	}
	return err
}

// shower shows where a run stands, if that is new.
func (f *statusCommand) shower(ctx context.Context, p *cli) func(*history.Run) error {
	last, first, redraws := "", true, p.redraws(p.out)
	return func(run *history.Run) error {
		var now bytes.Buffer
		stands := newStatus(run, cutOff(ctx, p.workspace(f.Dir), run))
		if f.Format == "json" {
			if err := writeLine(&now, stands); err != nil {
				return err
			}
		} else {
			printStatus(&now, run, stands)
			printNext(ctx, &now, p.workspace(f.Dir), run)
		}
		text := now.String()
		if text == last {
			return nil
		}
		last = text
		if f.Format != "json" {
			text = p.brush(p.out).Text(text, paint.Status)
		}
		begin := ""
		switch {
		case f.Format == "json":
		case redraws:
			begin, text = "\x1b[H", strings.ReplaceAll(text, "\n", "\x1b[K\n")+"\x1b[J"
			if first {
				begin = "\x1b[H\x1b[2J"
			}
		case !first:
			begin = "\n"
		}
		first = false
		_, err := io.WriteString(p.out, begin+text)
		return err
	}
}
