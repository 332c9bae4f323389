package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/plan"
)

// Afterwards is what became of the work of a run once its journal was sealed,
// which takes nothing more: the fold over a journal beside it, of the same facts.
// Documents of the run as it was sealed know nothing of it, see [Run.AsSealed].
type Afterwards struct {
	Head     record.Head // where that journal ends
	Key      record.Key  // that signs it; "": nobody does
	Setbacks []Setback   // in order

	unsigned bool // its last record is to bear a signature, and bears none
}

// A Setback says that the work of a run that had ended was set back to before a
// step.
type Setback struct {
	To       plan.Address
	Steps    []plan.Address  // whose work was taken away, in the order of execution
	Snapshot record.Snapshot // the tree before them
	Kept     record.Snapshot // what was there instead
	By       string
	Reason   string
	At       time.Time
	Done     bool // the tree was restored; else that was cut off
}

// AfterName is the name of the journal beside that of a sealed run. It has the
// head of the sealed one, which all its hashes begin with.
func (r *Run) AfterName() string {
	return fmt.Sprintf("%s after record %d %s", r.Started.Run, r.Head.Seq, r.Head.Hash)
}

// ApplyAfter folds the next record of the journal beside that of a sealed run
// in. *OrderError if it cannot follow what is there, *UnknownError if its type
// is unknown, *record.CorruptError if another key signed it.
func (r *Run) ApplyAfter(rec record.Record) error {
	at := moment{seq: rec.Seq, time: rec.Time, attempt: rec.Attempt}
	if r.Sealed == nil {
		return at.refuse("it follows the end of a run that is not sealed")
	}
	f, err := Decode(rec)
	if err != nil {
		return err
	}
	if r.After == nil {
		r.After = &Afterwards{Key: r.Signed.Key}
	}
	if err := r.After.fold(r, plan.Address(rec.Step), f, at); err != nil {
		return err
	}
	return r.After.follow(r.Started.Run, rec)
}

// RecordAfter adds facts to the journal beside that of a sealed run, all or none,
// and folds them in.
func (r *Run) RecordAfter(ctx context.Context, add func(context.Context, ...record.Fact) ([]record.Record, error),
	facts ...Located) error {
	batch := make([]record.Fact, len(facts))
	for i, l := range facts {
		var err error
		if batch[i], err = l.Encode(); err != nil {
			return err
		}
	}
	records, err := add(context.WithoutCancel(ctx), batch...)
	if err != nil {
		return fmt.Errorf("history: what becomes of run %s after its end cannot be recorded: %w", r.Started.Run, err)
	}
	for _, rec := range records {
		if err := r.ApplyAfter(rec); err != nil {
			return err
		}
	}
	return nil
}

// fold folds a fact in.
func (a *Afterwards) fold(r *Run, step plan.Address, f Fact, at moment) error {
	last := a.Last()
	switch f := f.(type) {
	case *RolledBack:
		s := r.Step(step)
		if s == nil || f.To != step {
			return at.refuse("the run is set back to before step %q, and it is about step %q", f.To, step)
		}
		b := Setback{To: f.To, Snapshot: f.Snapshot, By: f.By, Reason: f.Reason, At: at.time}
		back, _, _ := r.SetBack(s)
		for _, s := range back {
			b.Steps = append(b.Steps, s.Address)
		}
		a.Setbacks = append(a.Setbacks, b)
		return nil
	case *KeyChanged:
		if f.From != a.Key || f.By == "" {
			return at.refuse("the key changes from %q, and it was %q", f.From.Short(), a.Key.Short())
		}
		a.Key = f.To
		return nil
	case *RestoreBegun:
		if last != nil && !last.Done {
			last.Kept = f.Discarded
			return nil
		}
	case *Restored:
		if last != nil && !last.Done {
			last.Done = true
			return nil
		}
	}
	return at.refuse("%s cannot follow the end of the run", f.Type())
}

// follow notes who signed a record that was folded in.
func (a *Afterwards) follow(run string, rec record.Record) error {
	a.unsigned = a.Key != "" && len(rec.Signature) == 0
	if len(rec.Signature) > 0 && !rec.SignedBy(a.Key) {
		return &record.CorruptError{Name: run, Seq: rec.Seq,
			Why: "of what followed its end: the signature that it must bear is not that of " + a.Key.Short()}
	}
	a.Head = record.Head{Seq: rec.Seq, Hash: rec.Hash}
	return nil
}

// Verify is a *[record.CorruptError] where nobody signed the end of what followed
// the end of a run that was signed.
func (a *Afterwards) Verify(run string) error {
	if a == nil || !a.unsigned {
		return nil
	}
	return &record.CorruptError{Name: run, Seq: a.Head.Seq,
		Why: "of what followed its end: somebody added it without the key " + a.Key.Short()}
}

// Last is how the work was set back last; nil if it never was. It may be called
// on nil.
func (a *Afterwards) Last() *Setback {
	if a == nil || len(a.Setbacks) == 0 {
		return nil
	}
	return &a.Setbacks[len(a.Setbacks)-1]
}

// Of is how the work of a step was taken away first; nil if it never was. It may
// be called on nil.
func (a *Afterwards) Of(step plan.Address) *Setback {
	if a == nil {
		return nil
	}
	for i := range a.Setbacks {
		if slices.Contains(a.Setbacks[i].Steps, step) {
			return &a.Setbacks[i]
		}
	}
	return nil
}

// CutOff is the last setback if it was cut off before the tree was restored; nil
// if not. It may be called on nil.
func (a *Afterwards) CutOff() *Setback {
	if last := a.Last(); last != nil && !last.Done {
		return last
	}
	return nil
}

// String says it in plain words.
func (b *Setback) String() string {
	text := "set back to before step " + string(b.To)
	if b.By != "" {
		text += " by " + b.By
	}
	text += " after it had ended"
	if !b.Done {
		text += ", and cut off before that was done"
	}
	if b.Reason != "" {
		text += ": " + b.Reason
	}
	return text
}

// AsSealed is the run as its own journal tells it.
func (r *Run) AsSealed() *Run {
	if r.After == nil {
		return r
	}
	sealed := *r
	sealed.After = nil
	return &sealed
}
