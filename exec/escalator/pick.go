package escalator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/internal/safetext"
)

// Pick shows text and some choices and returns the key of the one that was
// picked, and whether it was picked by an empty line, which stands for the
// choice def. Choices that must be acknowledged, or need a text, are not for
// Pick. It is for what is decided before there is a run with questions. The end
// of the input, and too many lines that pick nothing, are [ask.ErrNoAnswer].
func (t *Terminal) Pick(ctx context.Context, text string, choices []ask.Choice, def string) (key string, byDefault bool,
	err error) {
	q := ask.Question{ID: "pick", Run: "none", Choices: choices, Default: def}
	if err := begin(ctx, q, clock(t.Now)); err != nil {
		return "", false, err
	}
	if err := t.take(ctx, q); err != nil {
		return "", false, err
	}
	defer func() { <-t.turn }()
	d := dialogue{Terminal: t, ctx: ctx, q: q}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", strings.Join(safetext.Lines(text), "\n"))
	for _, c := range choices {
		fmt.Fprintf(&b, "  %s  %-13s  %s\n", safetext.Escape(c.Key), safetext.Escape(c.Label),
			safetext.Escape(c.Consequence))
	}
	if err := d.say("%s\n", b.String()); err != nil {
		return "", false, err
	}
	for range maxTries {
		line, err := d.prompt(fmt.Sprintf("Which one? (Enter: %s) ", safetext.Escape(def)))
		if err != nil && !errors.Is(err, errLongLine) {
			return "", false, d.failed(err)
		}
		line = strings.TrimSpace(line)
		if c, ok := q.Typed(line); ok {
			return c.Key, line == "", nil
		}
		if err := d.say("%s is none of them.\n", safetext.Escape(fmt.Sprintf("%q", line))); err != nil {
			return "", false, err
		}
	}
	return "", false, d.failed(fmt.Errorf("%d lines, and none picked anything", maxTries))
}

// take waits for this terminal's turn. Whoever took it gives it back.
func (t *Terminal) take(ctx context.Context, q ask.Question) error {
	late, stop := t.deadline(q)
	defer stop()
	t.once.Do(func() { t.turn = make(chan struct{}, 1) })
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return stopped(ctx, q, clock(t.Now))
	case <-late:
		return noAnswer(q, "other questions were open until its deadline %s", showTime(q.Deadline))
	}
}
