package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// State of an entry.
type State string

const (
	Quarantined State = "quarantined" // nothing uses it
	Active      State = "active"      // promoted
	Revoked     State = "revoked"     // taken back; its confirmations no longer count
)

// An Entry is what a run taught, with everything that speaks for and against it.
type Entry struct {
	ID        string       `json:"id"` // the same for the same lesson, whichever run it comes from
	Kind      Kind         `json:"kind"`
	Pattern   string       `json:"pattern"`        // the cause, or what the step does
	Does      string       `json:"does,omitempty"` // what the step does; "" in books of older versions: any
	Remedy    string       `json:"remedy"`         // what worked
	How       string       `json:"how,omitempty"`  // the command or the prompt of it
	Run       string       `json:"run"`            // the first one that showed it
	Step      plan.Address `json:"step"`           // of that run
	State     State        `json:"state"`
	Confirmed int          `json:"confirmed"`         // runs that showed it, since it was last revoked
	Right     int          `json:"right"`             // trials in shadow that it would have won
	Wrong     int          `json:"wrong"`             // and lost
	Version   int          `json:"version,omitempty"` // of the book when it was last promoted or revoked
	Latest    string       `json:"latest"`            // the latest run that showed it
	// Job is what it is about, where reviewers approved the jobs that did the step. It
	// has no runs and no confidence: a Memory knows them.
	Job *history.ReadyJob `json:"ready_job,omitempty"`
}

// newEntry is a candidate in quarantine.
func newEntry(c candidate) *Entry {
	return &Entry{ID: c.ID, Kind: c.Kind, Pattern: c.Pattern, Does: c.Does, Remedy: c.Remedy, How: c.How, Run: c.Run,
		Step: c.Step, State: Quarantined, Job: c.Ready}
}

// Ready reports whether the entry can be promoted: enough runs have confirmed
// it, each trial in shadow that it lost being set off against one of them.
func (e Entry) Ready() bool {
	n := e.Kind.Confirmations()
	return e.State == Quarantined && n > 0 && e.Confirmed-e.Wrong >= n
}

// About is what the entry is about: a cause, and steps of which kind meet it, or
// steps of a kind.
func (e Entry) About() string {
	if e.Does == "" || e.Does == e.Pattern {
		return e.Pattern
	}
	return e.Pattern + " in a step that " + e.Does
}

// about reports whether an entry is about steps that do this.
func (e Entry) about(does string) bool { return e.Does == "" || e.Does == does }

var (
	// ErrNoEntry says that a book has no entry of an id.
	ErrNoEntry = errors.New("learn: no such entry")
	// ErrAnonymous says that a decision names nobody, or no reason.
	ErrAnonymous = errors.New("learn: a decision needs a name and a reason")
)

// A NotReadyError says what an entry lacks to be promoted.
type NotReadyError struct {
	Entry Entry
}

func (e *NotReadyError) Error() string {
	return fmt.Sprintf("learn: entry %s (%s) cannot be promoted: %d confirmations less %d lost trials, %d are needed, and it is %s",
		e.Entry.ID, e.Entry.About(), e.Entry.Confirmed, e.Entry.Wrong, e.Entry.Kind.Confirmations(), e.Entry.State)
}

// A Book is what was learned in a workspace, or by a host. It is safe for
// concurrent use.
type Book struct {
	mu      sync.Mutex
	journal *checkpoint.Journal
	entries []*Entry
	index   map[string]*Entry
	runs    map[string]*shown
	version int
}

// A shown is what a run has shown, as far as it counts.
type shown struct {
	taught map[string][]plan.Address // steps, by the entry that they confirm
	basis  map[string]history.Basis  // of the work of jobs, by the entry
	trials []trial
	gone   []plan.Address // steps that were set back since
}

// of reports whether a step has shown anything that counts.
func (s *shown) of(step plan.Address) bool {
	for _, steps := range s.taught { // in any order: one is enough
		if slices.Contains(steps, step) {
			return true
		}
	}
	return slices.ContainsFunc(s.trials, func(t trial) bool { return t.Step == step })
}

// name of the journal of every book.
const name = "learned"

// Open reads a book from its log, which it owns from then on, and verifies it:
// a book that was edited is refused with a *record.CorruptError. now stamps its
// records; nil for time.Now.
func Open(ctx context.Context, log checkpoint.Log, now func() time.Time) (*Book, error) {
	journal, err := checkpoint.OpenJournal(ctx, log, name, now, nil)
	if err != nil {
		return nil, err
	}
	b := &Book{journal: journal, index: map[string]*Entry{}, runs: map[string]*shown{}}
	for rec, err := range journal.Records(ctx) {
		if err == nil {
			err = b.apply(rec)
		}
		if err != nil {
			return nil, errors.Join(err, journal.Close())
		}
	}
	return b, nil
}

// Close closes the log.
func (b *Book) Close() error { return b.journal.Close() }

// apply folds a record in.
func (b *Book) apply(rec record.Record) error {
	var err error
	switch rec.Type {
	case takenType:
		var f taken
		if err = json.Unmarshal(rec.Data, &f); err == nil {
			b.take(f)
		}
	case withdrawType:
		var f withdrawn
		if err = json.Unmarshal(rec.Data, &f); err == nil {
			err = b.withdraw(f)
		}
	case promotedType, revokedType, prunedType:
		var f decided
		if err = json.Unmarshal(rec.Data, &f); err == nil {
			err = b.decide(rec.Type, f)
		}
	default:
		err = errors.New("its type is unknown: it was written by a newer version")
	}
	if err != nil {
		return fmt.Errorf("learn: record %d (%s): %w", rec.Seq, rec.Type, err)
	}
	return nil
}

// take folds in what a run has shown: how entries did, and which are new.
func (b *Book) take(f taken) {
	of := &shown{taught: map[string][]plan.Address{}, basis: map[string]history.Basis{}, trials: f.Trials}
	b.runs[f.Run] = of
	for _, t := range f.Trials {
		if e := b.index[t.Entry]; e != nil {
			if t.Right {
				e.Right++
			} else {
				e.Wrong++
			}
		}
	}
	for _, c := range f.Candidates {
		e := b.index[c.ID]
		if e == nil {
			e = newEntry(c)
			b.entries = append(b.entries, e)
			b.index[c.ID] = e
		}
		if len(of.taught[c.ID]) == 0 { // a run confirms once, however often it shows it
			e.Confirmed++
			e.Latest = c.Run
		}
		of.taught[c.ID], of.basis[c.ID] = append(of.taught[c.ID], c.Step), c.Basis
		if e.State == Revoked {
			e.State = Quarantined // it has to prove itself from the start
		}
	}
}

// withdraw takes back what steps of a run have shown: an entry that nothing else
// shows, and that nobody promoted, is gone.
func (b *Book) withdraw(f withdrawn) error {
	of := b.runs[f.Run]
	if of == nil {
		return fmt.Errorf("run %q was never taken", f.Run)
	}
	of.gone = append(of.gone, f.Steps...)
	back := func(step plan.Address) bool { return slices.Contains(f.Steps, step) }
	of.trials = slices.DeleteFunc(of.trials, func(t trial) bool {
		if e := b.index[t.Entry]; e != nil && back(t.Step) {
			if t.Right {
				e.Right--
			} else {
				e.Wrong--
			}
		}
		return back(t.Step)
	})
	for id, steps := range of.taught {
		if of.taught[id] = slices.DeleteFunc(steps, back); len(of.taught[id]) > 0 {
			continue
		}
		delete(of.taught, id)
		if e := b.index[id]; e != nil {
			if e.Confirmed--; e.Confirmed == 0 && e.State == Quarantined {
				b.remove(e)
			}
		}
	}
	return nil
}

// remove takes an entry out of the book.
func (b *Book) remove(e *Entry) {
	b.entries = slices.DeleteFunc(b.entries, func(x *Entry) bool { return x == e })
	delete(b.index, e.ID)
	b.forget(e)
}

// forget has what runs have shown of an entry count no more.
func (b *Book) forget(e *Entry) {
	for _, of := range b.runs {
		delete(of.taught, e.ID)
		of.trials = slices.DeleteFunc(of.trials, func(t trial) bool { return t.Entry == e.ID })
	}
}

// decide folds in what a person decided about an entry.
func (b *Book) decide(what string, f decided) error {
	e := b.index[f.Entry]
	if e == nil {
		return fmt.Errorf("%w: %q", ErrNoEntry, f.Entry)
	}
	switch what {
	case promotedType:
		b.version++
		e.State, e.Version = Active, b.version
	case revokedType:
		b.version++
		e.State, e.Version, e.Confirmed, e.Right, e.Wrong = Revoked, b.version, 0, 0, 0
		b.forget(e)
	case prunedType:
		b.remove(e)
	}
	return nil
}

// Take puts what a finished run of a plan teaches into quarantine, and records
// what it leaves out, and why. A run is taken once; Take of the same run again
// changes nothing. Entries that the run's causes concern are tried in shadow
// first. [ErrUnfinished] if the run is not sealed.
func (b *Book) Take(ctx context.Context, p *plan.Plan, r *history.Run) error {
	h, err := read(p, r)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.runs[h.run] != nil {
		return nil
	}
	return b.append(ctx, takenType, taken{Run: h.run, Candidates: h.candidates, Trials: b.shadow(h),
		Excluded: h.excluded})
}

// Taken reports whether a run was read already.
func (b *Book) Taken(run string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.runs[run] != nil
}

// Withdraw takes back what steps of a run taught that was taken, where the run was
// set back to before them since, and records that. It changes nothing where there
// are none, or nobody took the run.
func (b *Book) Withdraw(ctx context.Context, r *history.Run) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.runs[r.Started.Run]
	if of == nil {
		return nil
	}
	f := withdrawn{Run: r.Started.Run, Why: setBack}
	for _, s := range r.Steps {
		if r.After.Of(s.Address) != nil && !slices.Contains(of.gone, s.Address) && of.of(s.Address) {
			f.Steps = append(f.Steps, s.Address)
		}
	}
	if len(f.Steps) == 0 {
		return nil
	}
	return b.append(ctx, withdrawType, f)
}

// shadow asks every entry against a cause that the run met, in a step that does
// the same, what it would have said. Ready jobs that ran and failed have lost.
func (b *Book) shadow(h harvest) []trial {
	var trials []trial
	for _, e := range b.entries {
		if e.Kind == Procedural {
			trials = append(trials, h.lostBy(e)...)
			continue
		}
		for _, m := range h.meetings {
			if m.pattern != e.Pattern || !e.about(m.does) || m.helped == "" {
				continue
			}
			trials = append(trials, trial{Entry: e.ID, Run: h.run, Right: m.helped == e.Remedy,
				Why: fmt.Sprintf("in %s %q helped", m.step, m.helped), Step: m.step})
			break
		}
	}
	return trials
}

// Promote makes an entry part of the memory. *[NotReadyError] if it has not
// been confirmed often enough, [ErrNoEntry], [ErrAnonymous].
func (b *Book) Promote(ctx context.Context, id, by, why string) error {
	return b.rule(ctx, promotedType, id, by, why, func(e *Entry) error {
		if !e.Ready() {
			return &NotReadyError{Entry: *e}
		}
		return nil
	})
}

// Revoke takes an entry out of the memory, or out of quarantine. Runs that show
// it later start to confirm it anew. [ErrNoEntry], [ErrAnonymous].
func (b *Book) Revoke(ctx context.Context, id, by, why string) error {
	return b.rule(ctx, revokedType, id, by, why, func(*Entry) error { return nil })
}

// Prune removes entries that are not active, but for the k that were shown
// latest of each pattern. Their history stays in the book. It returns what it
// removed.
func (b *Book) Prune(ctx context.Context, k int, by string) ([]Entry, error) {
	if by == "" {
		return nil, ErrAnonymous
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := map[string]int{}
	var gone []Entry
	for _, e := range slices.Backward(slices.Clone(b.entries)) {
		key := string(e.Kind) + "\x00" + e.Pattern + "\x00" + e.Does
		if e.State == Active {
			continue
		}
		if kept[key]++; kept[key] <= k {
			continue
		}
		if err := b.append(ctx, prunedType, decided{Entry: e.ID, By: by,
			Why: fmt.Sprintf("the latest %d are kept", k)}); err != nil {
			return gone, err
		}
		gone = append(gone, *e)
	}
	return gone, nil
}

// rule records a decision about an entry, if the entry may have it. Nobody
// decides without a name and a reason.
func (b *Book) rule(ctx context.Context, what, id, by, why string, may func(*Entry) error) error {
	if by == "" || why == "" {
		return ErrAnonymous
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.index[id]
	if e == nil {
		return fmt.Errorf("%w: %q", ErrNoEntry, id)
	}
	if err := may(e); err != nil {
		return err
	}
	return b.append(ctx, what, decided{Entry: id, By: by, Why: why, Version: b.version + 1})
}

// append makes a fact durable, and only then true.
func (b *Book) append(ctx context.Context, what string, f any) error {
	rec, err := b.journal.Add(ctx, what, "", f)
	if err != nil {
		return err
	}
	return b.apply(rec)
}

// Entries are all entries, in the order in which they were first seen. Each is
// a copy.
func (b *Book) Entries() iter.Seq[Entry] {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]Entry, len(b.entries))
	for i, e := range b.entries {
		all[i] = *e
	}
	return slices.Values(all)
}

// Audit is everything that was ever recorded, in order, verified again.
func (b *Book) Audit(ctx context.Context) iter.Seq2[record.Record, error] {
	return b.journal.Records(ctx)
}
