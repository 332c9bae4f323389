// Package notify tells people who do not look at the terminal that a run asks
// something, or ended: by a program of theirs, by an address of the network, on
// the desktop.
//
// A [Notifier] observes a run. What it tells has no consequences for that: each
// way has a limit, and none is waited for but at the end, together:
//
//	n := &notify.Notifier{Webhook: "https://example.org/hook", Workspace: dir}
//	c.Observe = n.Observe
//	report, err := c.Run(ctx, locked)
//	for _, err := range n.Close() {
//		log.Print(err)
//	}
package notify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/process/output"
	"github.com/planlock/planlock/internal/safetext"
)

// What holds where the host says nothing else: how long a notification may take,
// and how long a question stands before somebody is told who may sit in front of
// it: what rules answer, or a person at once, is told nobody.
const (
	defaultLimit = 5 * time.Second
	defaultGrace = 10 * time.Second
)

// A kind is what a notice is about.
type kind string

// Kinds of notices.
const (
	question kind = "question" // a person is asked
	stopped  kind = "stopped"  // nobody works on the run any more, and it has not ended
	ended    kind = "ended"
)

// A notice is what is told, as JSON; docs/configuration.md describes it.
type notice struct {
	Schema    string         `json:"schema"`
	Kind      kind           `json:"kind"`
	Text      string         `json:"text"` // all of it in one line
	Run       string         `json:"run"`
	Goal      string         `json:"goal"`
	Status    history.Status `json:"status"`
	Reasons   []string       `json:"reasons"` // of the end, or why it stopped
	Workspace string         `json:"workspace"`
	Time      time.Time      `json:"time"`
	Question  *ask.Question  `json:"question,omitempty"` // without its evidence
}

// A Notifier tells of one run. Its fields are set before the first event.
type Notifier struct {
	Command []string // a program and its arguments: gets the notice on its standard input
	// Check is asked each time before Command is started, which it is not where there
	// is an error; nil: it always is.
	Check     func() error
	Webhook   string // an address, to which the notice is posted
	Desktop   bool   // whatever shows messages there
	Workspace string
	Limit     time.Duration // of each notification; 5 s if it is 0
	Grace     time.Duration // how long a question stands before it is told; 10 s if it is 0

	mu      sync.Mutex
	pending *notice // a question that was not told yet
	timer   *time.Timer
	told    string // the question that was told last
	errs    []error
	sending sync.WaitGroup
}

// Observe is told what happens in the run. It waits for nothing.
func (n *Notifier) Observe(_ context.Context, e event.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch e.Kind {
	case event.Asking:
		n.later(n.about(question, e, e.Question))
	case event.Waiting:
		switch open := e.State.Questions(); {
		case len(open) == 0:
			n.tell(n.about(stopped, e, nil))
		case n.told != open[0].ID:
			n.tell(n.about(question, e, open[0]))
		}
	case event.Paused:
		n.tell(n.about(stopped, e, nil))
	case event.Ended:
		n.tell(n.about(ended, e, nil))
	default:
		if n.pending != nil && e.Fact != nil && !isOpen(e.State, n.pending.Question.ID) {
			n.drop()
		}
	}
}

// isOpen reports whether a question has no answer yet.
func isOpen(run *history.Run, id string) bool {
	for _, q := range run.Questions() {
		if q.ID == id {
			return true
		}
	}
	return false
}

// later tells of a question unless it has its answer by then.
func (n *Notifier) later(what notice) {
	n.drop()
	n.pending = &what
	n.timer = time.AfterFunc(cmp.Or(n.Grace, defaultGrace), func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.pending == &what {
			n.tell(what)
		}
	})
}

// drop forgets the question that was not told yet.
func (n *Notifier) drop() {
	if n.timer != nil {
		n.timer.Stop()
	}
	n.pending = nil
}

// tell begins to tell a notice in every way.
func (n *Notifier) tell(what notice) {
	n.drop()
	if what.Question != nil {
		n.told = what.Question.ID
	}
	text, err := json.Marshal(what)
	if err != nil {
		n.errs = append(n.errs, err)
		return
	}
	limit := cmp.Or(n.Limit, defaultLimit)
	send := func(do func(context.Context) error) {
		n.sending.Go(func() {
			ctx, stop := context.WithTimeoutCause(context.Background(), limit, fmt.Errorf("it took longer than %v", limit))
			defer stop()
			if err := do(ctx); err != nil {
				n.mu.Lock()
				defer n.mu.Unlock()
				n.errs = append(n.errs, err)
			}
		})
	}
	if len(n.Command) > 0 {
		send(func(ctx context.Context) error {
			if n.Check != nil {
				if err := n.Check(); err != nil {
					return err
				}
			}
			return n.run(ctx, n.Command, what, text)
		})
	}
	if n.Webhook != "" {
		send(func(ctx context.Context) error { return post(ctx, n.Webhook, text) })
	}
	if n.Desktop {
		send(func(ctx context.Context) error { return n.run(ctx, desktop(what.Text), what, nil) })
	}
}

// Close waits for what is being told, and says what could not be.
func (n *Notifier) Close() []error {
	n.mu.Lock()
	n.drop()
	n.mu.Unlock()
	n.sending.Wait()
	return n.errs
}

// about is what there is to tell, without what variables hold that are secret by
// their names.
func (n *Notifier) about(of kind, e event.Event, q *ask.Question) notice {
	veiled := output.SecretsOf(os.Environ()).Replace
	run := e.State
	out := notice{Schema: "planlock.notice/1", Kind: of, Run: e.Run, Goal: veiled(run.Started.Goal), Status: run.Status, Reasons: []string{},
		Workspace: n.Workspace, Time: e.Time}
	switch {
	case q != nil:
		asked := *q
		asked.What, asked.Why, asked.Evidence, asked.Teaching = veiled(q.What), veiled(q.Why), nil, nil
		asked.Choices = slices.Clone(q.Choices)
		for i, c := range q.Choices {
			asked.Choices[i].Label, asked.Choices[i].Consequence = veiled(c.Label), veiled(c.Consequence)
		}
		out.Question = &asked
		out.Text = fmt.Sprintf("planlock asks %s: %s", q.ID, q.What)
	case of == ended && run.Ended != nil:
		out.Reasons = append(out.Reasons, run.Ended.Reasons...)
		out.Text = "planlock: " + strings.ReplaceAll(string(run.Ended.Status), "_", " ")
	case run.Paused != nil:
		out.Reasons = append(out.Reasons, run.Paused.Why)
		out.Text = "planlock stopped"
	}
	for i, r := range out.Reasons {
		out.Reasons[i] = veiled(r)
	}
	if q == nil && len(out.Reasons) > 0 {
		out.Text += ": " + out.Reasons[0]
	}
	out.Text = safetext.Clip(safetext.Escape(veiled(fmt.Sprintf("%s (%s, run %s)", out.Text, run.Started.Goal, e.Run))), 300)
	return out
}

// run starts a program that tells a notice.
func (n *Notifier) run(ctx context.Context, args []string, what notice, text []byte) error {
	if len(args) == 0 {
		return errors.New("nothing is known that shows messages on this desktop")
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = n.Workspace, bytes.NewReader(text), time.Second
	cmd.Env = append(os.Environ(), "PLANLOCK_NOTICE="+string(what.Kind), "PLANLOCK_RUN="+what.Run,
		"PLANLOCK_STATUS="+string(what.Status), "PLANLOCK_TEXT="+what.Text, "PLANLOCK_WORKSPACE="+n.Workspace)
	if what.Question != nil {
		cmd.Env = append(cmd.Env, "PLANLOCK_QUESTION="+what.Question.ID)
	}
	said := output.NewTail(1 << 10)
	cmd.Stderr = output.SecretsOf(cmd.Env).Veil(said)
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return fmt.Errorf("%s: %w", strings.TrimSpace(args[0]+": "+said.String()), err)
}

// post posts a notice to an address. Nobody is told more of that than its host:
// it may be secret.
func post(ctx context.Context, address string, text []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: it is no address", Host(address))
	}
	request.Header.Set("Content-Type", "application/json")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil {
		if outer := (*url.Error)(nil); errors.As(err, &outer) {
			err = outer.Err
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("%s: %w", Host(address), err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // so that the connection ends in order
	_ = answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("%s: it answered with status %d", Host(address), answer.StatusCode)
	}
	return nil
}

// Host is what is shown of the address of a webhook, which may be secret: as in
// "https://example.org/…".
func Host(address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return "the webhook"
	}
	return at.Scheme + "://" + at.Host + "/…"
}
