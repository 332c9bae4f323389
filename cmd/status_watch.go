package cmd

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// lookAside is how often "status --watch" looks at what no record tells: whether
// somebody works on the run, and what lies there for it.
const lookAside = 500 * time.Millisecond

// watch shows where a run stands whenever that changes, until the run ends: on a
// terminal in one place, else one below the other.
//
// It reads the run anew each time, and shows only what is new: of what changes
// faster than that, the latest.
func (f *statusCommand) watch(ctx context.Context, p *cli, ws exec.Workspace, run *history.Run) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	show := f.shower(ctx, p)
	if err := show(run); err != nil || run.Sealed != nil {
		return err
	}
	id := run.Started.Run
	told, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		for _, err := range ws.Follow(ctx, id, run.Head.Seq) {
			if err != nil {
				ended <- err
				return
			}
			select {
			case told <- struct{}{}:
			default: // somebody will look anyway
			}
		}
		ended <- nil
	}()
	aside, ticker := besides(ctx, ws), time.NewTicker(lookAside)
	defer ticker.Stop()
	for {
		var over bool
		select {
		case err := <-ended:
			if err != nil {
				return watched(ctx, err)
			}
			over = true
		case <-told:
		case <-ticker.C:
			now := besides(ctx, ws)
			if now == aside {
				continue
			}
			aside = now
		}
		run, err := ws.History(ctx, id)
		if err == nil {
			err = show(run)
		}
		if err != nil || over {
			return watched(ctx, err)
		}
	}
}

// watched is how it ends to watch: who stops that has stopped nothing else.
func watched(ctx context.Context, err error) error {
	if err != nil && interruption(ctx) != nil {
		return &quietError{statusInterrupted}
	}
	return err
}

// besides tells one state from another of what no record tells.
func besides(ctx context.Context, ws exec.Workspace) string {
	text := hold.Holder(ctx, ws.Dir)
	if left, err := os.ReadDir(ws.QuestionDir()); err == nil {
		for _, file := range left {
			text += "\n" + file.Name()
		}
	}
	return text
}

// shower shows where a run stands, if that is new.
func (f *statusCommand) shower(ctx context.Context, p *cli) func(*history.Run) error {
	last, first, redraws := "", true, p.redraws(p.out)
	return func(run *history.Run) error {
		var now bytes.Buffer
		stands := newStatus(run, cutOff(ctx, run, f.Dir))
		if f.Format == "json" {
			if err := writeLine(&now, stands); err != nil {
				return err
			}
		} else {
			printStatus(&now, run, stands)
			printNext(ctx, &now, run, f.Dir)
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
