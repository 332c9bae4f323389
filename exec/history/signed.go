package history

import (
	"cmp"
	"slices"
	"sync"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Signed is how far the journal of a run is signed, as its records say; whether
// the signatures are good is for whoever has the key to find out, see
// [Signed.Verify].
type Signed struct {
	Key  record.Key      // that signs from here on; "": nobody does
	Head record.Record   // the last record that bears a signature, without its data
	By   record.Key      // whose that must be
	End  []record.Record // those behind it, without their data

	steps  map[plan.Address]*Step // of the run
	letGo  bool                   // nobody had the run in hand at Head
	lapses []lapse
	stamps ledger.Digest // of the run at Head
}

// A lapse is a step as it was before what nobody signed.
type lapse struct {
	step *Step
	was  Step
}

// Verify is a *[record.CorruptError] where the last signature is not that of
// the key that must have made it. It says nothing of who has that key.
func (s *Signed) Verify(run string) error {
	if s.Key == "" && s.Head.Seq == 0 || s.Head.SignedBy(s.By) {
		return nil
	}
	return &record.CorruptError{Name: run, Seq: max(s.Head.Seq, 1),
		Why: "the signature that it must bear is not that of " + cmp.Or(s.By, s.Key).Short()}
}

// An intent is a fact that is not relied on by itself: that a step, or an
// attempt of it, was to begin, and what gates said until then. Who takes the run
// up disowns it, if nothing that is relied on followed.
type intent interface{ intent() }

func (*StepStarted) intent()    {}
func (*AttemptStarted) intent() {}
func (*Judged) intent()         {}

var intents = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, empty := range facts() {
		f := empty()
		_, names[f.Type()] = f.(intent)
	}
	return names
})

// Relies reports whether a fact of the run is relied on, and so signed by its
// journal: all but intents of steps that restoring a tree undoes.
func (s *Signed) Relies(f record.Fact) bool {
	step := s.steps[plan.Address(f.Step)]
	return step == nil || !step.WithinTree() || !intents()[f.Type]
}

// Claims are the records behind the last signature that no crash leaves there:
// what is relied on is signed in the write that makes it, and who lets a run go
// signs that.
func (s *Signed) Claims() []record.Record {
	if s.letGo {
		return s.End
	}
	var claims []record.Record
	for _, rec := range s.End {
		if s.Relies(rec.Fact) {
			claims = append(claims, rec)
		}
	}
	return claims
}

// hold keeps a step as it is before something that nobody may ever sign.
func (s *Signed) hold(rec *record.Record) {
	if s.Key == "" || len(rec.Signature) > 0 || s.Relies(rec.Fact) {
		return
	}
	step := s.steps[plan.Address(rec.Step)]
	if !slices.ContainsFunc(s.lapses, func(l lapse) bool { return l.step == step }) {
		s.lapses = append(s.lapses, lapse{step, *step})
	}
}

// follow notes whether a record that was folded in is signed.
func (s *Signed) follow(r *Run, rec record.Record, f Fact) {
	if s.Key == "" {
		return
	}
	rec.Data = nil
	if len(rec.Signature) == 0 {
		s.End = append(s.End, rec)
		return
	}
	s.Head, s.By, s.End = rec, s.Key, s.End[:0]
	if f, changed := f.(*KeyChanged); changed && len(f.Proof) > 0 {
		s.By = f.From
	}
	clear(s.lapses)
	s.lapses, s.stamps = s.lapses[:0], r.Stamps
	s.letGo = r.Paused != nil || r.Ended != nil
}

// Disowned says that the records at the end of the journal that nobody signed
// count for nothing: a crash left them, or nobody knows who did. Steps stand
// where they stood before, and attempts that began there are lost.
type Disowned struct {
	First uint64 `json:"first"` // of the records
	Last  uint64 `json:"last"`
}

func (*Disowned) Type() string { return "disowned" }

func (f *Disowned) String() string {
	return sprint("records %d to %d, which nobody signed", f.First, f.Last)
}

func (f *Disowned) ofRun(r *Run, at moment) error {
	s := &r.Signed
	if s.Key == "" || f.First != s.Head.Seq+1 || f.Last != at.seq-1 || f.First > f.Last {
		return at.refuse("records %d to %d are disowned, and those that nobody signed are %d to %d", f.First, f.Last,
			s.Head.Seq+1, at.seq-1)
	}
	if claims := s.Claims(); len(claims) > 0 {
		return at.refuse("nobody signed record %d, which is relied on: it cannot be disowned", claims[0].Seq)
	}
	for _, l := range s.lapses {
		lost := l.step.Attempts[len(l.was.Attempts):]
		for _, a := range lost {
			a.Failure = &AttemptFailed{Class: Lost, Reasons: []string{"nobody signed that it began"}}
		}
		*l.step = l.was
		l.step.Undone = slices.Concat(l.step.Undone, lost)
		if l.step.Status == Pending {
			r.lanes.leave(l.step)
		}
		r.cutOff = append(r.cutOff, lost...)
	}
	r.Stamps = s.stamps
	return nil
}

// KeyChanged says that another key signs the journal from here on. The old key
// signed the record, and the new one made the proof; or a person says that the
// old one is lost, and the new one signs.
type KeyChanged struct {
	From  record.Key `json:"from,omitempty"` // "": nobody signed
	To    record.Key `json:"to"`
	By    string     `json:"by,omitempty"`    // the person
	Proof []byte     `json:"proof,omitempty"` // signature of the new key
}

func (*KeyChanged) Type() string { return "key-changed" }

func (f *KeyChanged) String() string {
	from := f.From.Short()
	if from == "" {
		from = "nobody"
	}
	who := "signed by both"
	if len(f.Proof) == 0 {
		who = "by the word of " + f.By
	}
	return sprint("from %s to %s, %s", from, f.To.Short(), who)
}

func (*KeyChanged) aside() {}

// Statement is what the new key signs: that it takes a journal over that ended
// at a head.
func (f *KeyChanged) Statement(head ledger.Digest) []byte {
	return []byte("planlock.journal/1 key\n" + string(head) + "\n" + string(f.From) + "\n" + string(f.To) + "\n")
}

// Verify is a *[record.CorruptError] where the fact has a proof, and it is none
// in the record.
func (f *KeyChanged) Verify(run string, rec *record.Record) error {
	if len(f.Proof) == 0 || f.To.Signed(f.Statement(rec.Prev), f.Proof) {
		return nil
	}
	return &record.CorruptError{Name: run, Seq: rec.Seq, Why: "the proof of the new key is not that of " + f.To.Short()}
}

func (f *KeyChanged) ofRun(r *Run, at moment) error {
	switch {
	case f.From != r.Signed.Key:
		return at.refuse("the key changes from %q, and it was %q", f.From.Short(), r.Signed.Key.Short())
	case len(f.Proof) == 0 && f.By == "":
		return at.refuse("the key changes, and neither the old one nor a person says so")
	}
	r.Signed.Key = f.To
	return nil
}
