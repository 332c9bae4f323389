package life

import (
	"context"
	"crypto"
	"errors"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
)

// Beside opens the journal beside that of the run in hand, which is sealed, for
// more. The key that signed the run signs it, or another one on a person's word.
func (l *Life) Beside(ctx context.Context) (*checkpoint.Journal, error) {
	run := l.Rec.Run
	signer, change, err := signing{l}.beside()
	if err != nil {
		return nil, err
	}
	log, err := l.Home.Open(ctx, run.Started.Run+checkpoint.AfterRun)
	if err != nil {
		return nil, err
	}
	run.After = nil
	journal, err := checkpoint.OpenJournal(ctx, log, run.AfterName(), l.Now, run.ApplyAfter)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	err = run.After.Verify(run.Started.Run)
	if err == nil && signer != nil {
		err = journal.SignWith(signer, func(record.Fact) bool { return true })
	}
	if err == nil && change != nil {
		err = run.RecordAfter(ctx, journal.Append, history.Where{}.Locate(change)...)
	}
	if err != nil {
		return nil, errors.Join(err, journal.Close())
	}
	return journal, nil
}

// beside is who signs what is done with the work of a sealed run, and that it is
// another one than before; nil where nobody signed the run.
func (l signing) beside() (crypto.Signer, *history.KeyChanged, error) {
	key := l.Rec.Run.Signed.Key
	if l.Rec.Run.After != nil {
		key = l.Rec.Run.After.Key
	}
	if key == "" {
		return nil, nil, nil
	}
	if l.Signer == nil {
		return nil, nil, l.Refuse("have its owner set it back",
			"the journal of the run is signed by %s, and nobody signs here", key)
	}
	if signer, err := l.signerOf(key); err != nil || signer != nil {
		return signer, nil, err
	}
	to, err := record.KeyOf(l.Signer.Public())
	if err != nil {
		return nil, nil, err
	}
	if !l.acceptsKey() {
		return nil, nil, l.strange(key, to)
	}
	return l.Signer, &history.KeyChanged{From: key, To: to, By: l.Accepted.By}, nil
}
