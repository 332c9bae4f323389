package life

import (
	"context"
	"crypto"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/session"
)

// keyName is what a person calls the key of a run that is lost, to accept
// another one.
const keyName = "signing key"

const namedRecords = 5 // in one refusal

// A signing is how the journal of a run in hand is signed.
type signing struct{ *Life }

// signs has the host's signer sign the journal in hand, and returns its key.
func (l signing) signs() (record.Key, error) {
	if l.Signer == nil {
		return "", nil
	}
	return l.signsWith(l.Signer)
}

// signsWith has a signer sign the journal from here on. A key that cannot do
// that is refused.
func (l signing) signsWith(signer crypto.Signer) (record.Key, error) {
	key, err := record.KeyOf(signer.Public())
	if err == nil {
		err = l.Rec.Journal.SignWith(signer, l.Rec.Run.Signed.Relies)
	}
	if err != nil {
		return "", &session.Refusal{Run: l.Rec.Run.Started.Run, Err: err,
			Reasons: []string{"the journal cannot be signed: " + err.Error()},
			Hint:    "give a signer that has an Ed25519 key"}
	}
	return key, nil
}

// own makes sure that the run that was opened is the host's to go on with: that
// its journal is signed by a key that the host has, up to what a crash may have
// left, which it disowns. Nothing else of the run is believed before.
//
// A run that has ended is only read, by whom it may be.
func (l signing) own(ctx context.Context) error {
	run, key := l.Rec.Run, l.Rec.Run.Signed.Key
	if err := run.Signed.Verify(run.Started.Run); err != nil {
		return err
	}
	if claims := run.Signed.Claims(); len(claims) > 0 {
		return l.claimed(claims)
	}
	if run.Sealed != nil || key == "" && l.Signer == nil {
		return nil
	}
	if l.Signer == nil {
		return l.Refuse("have its owner go on with it",
			"the journal of the run is signed by %s, and nobody signs here", key)
	}
	signer, err := l.signerOf(key)
	if err != nil {
		return err
	}
	if signer == nil {
		return l.acceptKey(ctx)
	}
	if _, err := l.signsWith(signer); err != nil {
		return err
	}
	if facts := l.disown(); len(facts) > 0 {
		if err := l.Rec.Record(ctx, history.Where{}, facts...); err != nil {
			return err
		}
	}
	return l.changeKey(ctx)
}

// vouches says why the journal of a run, which another one is to finish, is no
// word of the host's; "" if it is.
func (l signing) vouches(run *history.Run) (string, error) {
	key, end := run.Signed.Key, len(run.Signed.End)
	switch {
	case key == "" && l.Signer == nil:
		return "", nil
	case key == "":
		return "nobody signed its journal", nil
	case end > 0:
		return fmt.Sprintf("its journal is signed up to record %d, and has %d behind that",
			run.Signed.Head.Seq, end), nil
	case l.Signer == nil:
		return fmt.Sprintf("its journal is signed by %s, and nobody signs here", key), nil
	}
	keys := []record.Key{key}
	if run.After != nil {
		keys = append(keys, run.After.Key)
	}
	for _, key := range keys {
		if signer, err := l.signerOf(key); err != nil {
			return "", err
		} else if signer == nil {
			return fmt.Sprintf("its journal is signed by %s, which is not known here", key), nil
		}
	}
	return "", nil
}

// claimed refuses a journal at whose end something stands that somebody must
// have signed, and nobody did.
func (l signing) claimed(claims []record.Record) error {
	var names []string
	for _, rec := range claims {
		names = append(names, strings.TrimSpace(fmt.Sprintf("record %d, %s %s", rec.Seq, rec.Type, rec.Step)))
	}
	return l.Refuse("put the journal back as it was, with its head; what the run did until then stands",
		"somebody added to the journal of the run without its key: it is signed up to record %d, and not %s",
		l.Rec.Run.Signed.Head.Seq, strings.Join(bound.First(names, namedRecords), "; "))
}

// signerOf is the signer of the host that has a key, or nil.
func (l signing) signerOf(key record.Key) (crypto.Signer, error) {
	for _, signer := range slices.Concat([]crypto.Signer{l.Signer}, l.EarlierSigners) {
		if has, err := record.KeyOf(signer.Public()); err != nil {
			return nil, err
		} else if has == key {
			return signer, nil
		}
	}
	return nil, nil
}

// disown is that what a crash left unsigned counts for nothing. The workspace
// may hold what an attempt did that began there: it gets back the tree that was
// accepted.
func (l signing) disown() []history.Fact {
	end := l.Rec.Run.Signed.End
	if len(end) == 0 {
		return nil
	}
	facts := []history.Fact{&history.Disowned{First: end[0].Seq, Last: end[len(end)-1].Seq}}
	started := (*history.AttemptStarted)(nil).Type()
	if slices.ContainsFunc(end, func(rec record.Record) bool { return rec.Type == started }) {
		facts = append(facts, &history.RestoreBegun{To: l.Rec.Run.Tree})
	}
	return facts
}

// changeKey has the signer go on where an earlier one of the same host signed.
func (l signing) changeKey(ctx context.Context) error {
	to, err := record.KeyOf(l.Signer.Public())
	if err != nil || to == l.Rec.Run.Signed.Key {
		return err
	}
	change := &history.KeyChanged{From: l.Rec.Run.Signed.Key, To: to}
	change.Proof, err = l.Signer.Sign(rand.Reader, change.Statement(l.Rec.Run.Head.Hash), crypto.Hash(0))
	if err != nil {
		return fmt.Errorf("exec: the journal cannot be signed: %w", err)
	}
	if err := l.Rec.Record(ctx, history.Where{}, change); err != nil {
		return err
	}
	_, err = l.signs()
	return err
}

// acceptsKey reports whether a person accepts another key.
func (l signing) acceptsKey() bool {
	return slices.Contains(l.Accepted.Moved, keyName) && l.Accepted.By != ""
}

// strange refuses a key that the host has in place of one that it has not.
func (l signing) strange(from, to record.Key) *session.Refusal {
	refused := l.Refuse(
		"have its owner go on with it, or, if the key is lost, accept another one by the name "+keyName,
		"the journal of the run is signed by %s, which is not known here; the key here is %s", from, to)
	if from == "" {
		refused.Reasons = []string{fmt.Sprintf("nobody signed the journal of the run, and the key here is %s", to)}
		refused.Hint = "look at what it says, and accept that it is signed from here on, by the name " + keyName
	}
	refused.Actions = []action.Action{{Kind: action.Resume, Run: refused.Run, Accept: []string{keyName}}}
	return refused
}

// acceptKey goes on with the host's key where the run has one that the host has
// not, if a person accepts that.
func (l signing) acceptKey(ctx context.Context) error {
	from := l.Rec.Run.Signed.Key
	to, err := record.KeyOf(l.Signer.Public())
	if err != nil {
		return err
	}
	if !l.acceptsKey() {
		return l.strange(from, to)
	}
	facts := append(l.disown(), &history.KeyChanged{From: from, To: to, By: l.Accepted.By})
	if _, err := l.signs(); err != nil {
		return err
	}
	l.Accepted.Moved = slices.DeleteFunc(slices.Clone(l.Accepted.Moved),
		func(name string) bool { return name == keyName })
	return l.Rec.Record(ctx, history.Where{}, facts...)
}
