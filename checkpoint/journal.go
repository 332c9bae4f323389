package checkpoint

import (
	"bytes"
	"cmp"
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/planlock/planlock/checkpoint/internal/chain"
	"github.com/planlock/planlock/checkpoint/record"
)

// A Journal is a hash-chained Log. It is safe for concurrent use: calls that
// add something do so one after another.
type Journal struct {
	log  Log
	name string
	now  func() time.Time

	mu    sync.Mutex
	chain chain.Chain // of what is durable

	turn   chan struct{} // whoever is in it may write; what follows is theirs
	sign   chain.Sign    // nil: nobody signs
	relied func(record.Fact) bool
	tip    chain.Chain // behind what is staged or written
	given  chain.Chain // behind what is written
	staged [][]byte    // not written yet
	buf    []byte      // kept for the next batch, like those below
	ends   []int
	each   [][]byte
}

// OpenJournal replays and verifies log; name (the run id) starts the chain, so
// that the records of another run are recognised. now is time.Now if it is nil.
// *record.CorruptError names the first record that is wrong. Whether the log is
// as long as it should be only an expected head can tell, see Journal.Extends;
// a filelog.Log keeps one, which an attacker can change too. The journal owns
// log from then on: its Close closes it; after an error it is the caller's
// still.
//
// Each record that was verified is given to do, if it is not nil, in order, so
// that the log is read once and not twice. A later record may still turn out to
// be wrong: what do made of the others counts only where there is no error. An
// error of do is the last thing.
func OpenJournal(ctx context.Context, log Log, name string, now func() time.Time,
	do func(record.Record) error) (*Journal, error) {
	if now == nil {
		now = time.Now
	}
	j := &Journal{log: log, name: name, now: now, turn: make(chan struct{}, 1), chain: chain.New(name)}
	for s, err := range replay(ctx, log, &j.chain) {
		if err == nil && do != nil {
			err = do(s.Record(&j.chain))
		}
		if err != nil {
			return nil, err
		}
	}
	j.tip, j.given = j.chain.Clone(), j.chain.Clone()
	return j, nil
}

// replay yields the verified contents of log, following c.
func replay(ctx context.Context, log Log, c *chain.Chain) iter.Seq2[chain.Stored, error] {
	return func(yield func(chain.Stored, error) bool) {
		for b, err := range log.Replay(ctx) {
			var s chain.Stored
			if err == nil {
				s, err = c.Follow(b)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// Records yields all records from the log, verified once more. The first error
// is the last pair. Records that are appended meanwhile may be left out.
func (j *Journal) Records(ctx context.Context) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		c, want := chain.New(j.name), j.Head()
		for s, err := range replay(ctx, j.log, &c) {
			if err != nil {
				yield(record.Record{}, err)
				return
			}
			if !yield(s.Record(&c), nil) {
				return
			}
		}
		if c.Seq() < want.Seq {
			yield(record.Record{}, &record.CorruptError{Name: j.name, Seq: c.Seq() + 1, Why: "it was cut off"})
		}
	}
}

// Extends reports whether the journal is what it was when it ended at h, or a
// continuation of that. If it was cut, or written anew with another chain, it
// is a *CorruptError.
func (j *Journal) Extends(ctx context.Context, h record.Head) error {
	if h == (record.Head{}) {
		return nil
	}
	c := chain.New(j.name)
	if now := j.Head(); now.Seq < h.Seq {
		return &record.CorruptError{Name: j.name, Seq: now.Seq + 1, Why: fmt.Sprintf("it was cut off: %d records are expected", h.Seq)}
	}
	next, stop := iter.Pull2(replay(ctx, j.log, &c))
	defer stop()
	for c.Seq() < h.Seq {
		if _, err, ok := next(); err != nil || !ok {
			return cmp.Or(err, error(&record.CorruptError{Name: j.name, Seq: c.Seq() + 1, Why: "it was cut off"}))
		}
	}
	if c.Head() != h {
		return &record.CorruptError{Name: j.name, Seq: max(h.Seq, 1), Why: "it is not the record that was there before: the journal was written anew"}
	}
	return nil
}

// SignWith has signer, whose key is Ed25519, sign heads from now on: each batch
// with a fact that is relied on carries the signature of the head that it makes,
// in its last record, and so in the same write. Other batches are covered by the
// next signature. Where signer fails, nothing of the batch is in the journal.
func (j *Journal) SignWith(signer crypto.Signer, relied func(record.Fact) bool) error {
	key, err := record.KeyOf(signer.Public())
	if err != nil {
		return err
	}
	_, ours := signer.(ed25519.PrivateKey)
	j.turn <- struct{}{}
	defer j.leave()
	j.relied, j.sign = relied, func(message []byte) ([]byte, error) {
		signature, err := signer.Sign(rand.Reader, message, crypto.Hash(0))
		if err == nil && !ours && !key.Signed(message, signature) {
			err = fmt.Errorf("what the signer of %s made is no signature of it", key.Short())
		}
		if err != nil {
			return nil, fmt.Errorf("sign: %w", err)
		}
		return signature, nil
	}
	return nil
}

// Head is where the journal ends now. Facts that are only staged or written do
// not count.
func (j *Journal) Head() record.Head {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.chain.Head()
}

// Close appends what is only staged, makes durable what is only written, and
// closes the log. It waits for calls that add something.
func (j *Journal) Close() error {
	j.turn <- struct{}{}
	defer j.leave()
	var err error
	switch {
	case len(j.staged) > 0:
		_, err = j.put(context.Background(), nil, durable)
	case j.given.Seq() > j.Head().Seq:
		err = j.sync(context.Background())
	}
	return errors.Join(err, j.log.Close())
}

// Append adds facts as one durable batch, and returns them in their place. What
// was staged or written before becomes durable with them. The Data of a record
// is that of its fact where there is no white space in it. After an error none
// of the facts is in the journal, or every later Append fails; after a failed
// sync it is the latter.
//
// A call that is cancelled while it waits for others adds nothing.
func (j *Journal) Append(ctx context.Context, facts ...record.Fact) ([]record.Record, error) {
	if len(facts) == 0 {
		return nil, nil
	}
	return j.add(ctx, facts, durable)
}

// Add appends one fact that is about a step, or about none: of a kind, with data
// in JSON. The error is for data that JSON does not take, or that of Append.
func (j *Journal) Add(ctx context.Context, kind, step string, data any) (record.Record, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return record.Record{}, fmt.Errorf("checkpoint: fact %q: %w", kind, err)
	}
	records, err := j.Append(ctx, record.Fact{Type: kind, Step: step, Data: text})
	if err != nil {
		return record.Record{}, err
	}
	return records[0], nil
}

// Write adds facts like Append, but does not wait for the disk: they outlive
// this process, and the next Append, Sync or Close makes them durable. Until
// then a power cut may take them, the last ones first. It is Append where the
// log is no LogWriter. Facts that were staged go with them; without facts it
// writes those.
func (j *Journal) Write(ctx context.Context, facts ...record.Fact) ([]record.Record, error) {
	return j.add(ctx, facts, written)
}

// Stage adds facts like Append, but does not make them durable: the next Append
// does, in one piece with its own, or Close. So what nobody relies on yet, and
// would only be done again, costs no sync. Until then they are lost with the
// process.
func (j *Journal) Stage(ctx context.Context, facts ...record.Fact) ([]record.Record, error) {
	return j.add(ctx, facts, staged)
}

// A safety says what facts outlive.
type safety int

const (
	staged  safety = iota // nothing: they go with the next ones
	written               // the death of this process
	durable               // a power cut
)

// Hasten has the disk begin with what was written, and waits for nothing:
// whoever has something else to do before Sync waits less there.
func (j *Journal) Hasten() {
	if w, ok := j.log.(LogWriter); ok {
		w.Hasten()
	}
}

// Sync makes durable what was written. Where the disk fails, nobody knows
// whether it is, and the journal is dead: every later call fails. A call that
// is cancelled before it began changes nothing.
func (j *Journal) Sync(ctx context.Context) error {
	if err := j.enter(ctx); err != nil {
		return fmt.Errorf("checkpoint: sync journal %q: %w", j.name, err)
	}
	defer j.leave()
	return j.sync(ctx)
}

// enter waits until nobody else writes.
func (j *Journal) enter(ctx context.Context) error {
	select {
	case j.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case j.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (j *Journal) leave() { <-j.turn }

// add adds facts as one batch, once nobody else writes.
func (j *Journal) add(ctx context.Context, facts []record.Fact, how safety) ([]record.Record, error) {
	if err := j.enter(ctx); err != nil {
		return nil, fmt.Errorf("checkpoint: append to journal %q: %w", j.name, err)
	}
	defer j.leave()
	return j.put(ctx, facts, how)
}

// put adds facts, behind what is staged. After an error what was staged still
// is.
func (j *Journal) put(ctx context.Context, facts []record.Fact, how safety) ([]record.Record, error) {
	next, records, batch, err := j.encode(facts)
	adds := len(batch) > 0 || how != staged && len(j.staged) > 0
	if err == nil && adds {
		how, err = j.give(ctx, batch, how)
	}
	clear(batch) // the slice is used again
	if err != nil {
		return nil, fmt.Errorf("checkpoint: append to journal %q: %w", j.name, err)
	}
	if j.tip = next; how != staged && adds {
		if j.given = next.Clone(); how == durable {
			j.acknowledge()
		}
	}
	return records, nil
}

// give stages a batch, or gives it to the log behind what is staged. It returns
// how safe the batch is then.
func (j *Journal) give(ctx context.Context, batch [][]byte, how safety) (safety, error) {
	if how == staged {
		for _, b := range batch {
			j.staged = append(j.staged, bytes.Clone(b)) // the buffer is used again
		}
		return staged, nil
	}
	all := batch
	if len(j.staged) > 0 {
		all = slices.Concat(j.staged, batch)
	}
	var err error
	if w, ok := j.log.(LogWriter); ok && how == written {
		err = w.Write(ctx, all)
	} else {
		how, err = durable, j.log.Append(ctx, all)
	}
	if err == nil {
		j.staged = nil
	}
	return how, err
}

// sync syncs what was written.
func (j *Journal) sync(ctx context.Context) error {
	if w, ok := j.log.(LogWriter); ok { // else what it took is durable
		if err := w.Sync(ctx); err != nil {
			return fmt.Errorf("checkpoint: sync journal %q: %w", j.name, err)
		}
		j.acknowledge()
	}
	return nil
}

// acknowledge takes all that was written for durable.
func (j *Journal) acknowledge() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.chain = j.given.Clone()
}

// encode makes a batch of facts, which all have one time, and returns the place
// behind them.
func (j *Journal) encode(facts []record.Fact) (next chain.Chain, records []record.Record, batch [][]byte, err error) {
	next = j.tip // with its scratch space
	buf, ends, now := j.buf[:0], j.ends[:0], j.now().UTC().Round(0)
	records = make([]record.Record, len(facts))
	for i, f := range facts {
		var sign chain.Sign
		if i == len(facts)-1 && j.sign != nil && slices.ContainsFunc(facts, j.relied) {
			sign = j.sign
		}
		if buf, records[i], err = next.Extend(buf, f, now, sign); err != nil {
			return next, nil, nil, fmt.Errorf("fact %d: %w", i+1, err)
		}
		ends = append(ends, len(buf))
	}
	batch = j.each[:0]
	start := 0
	for _, end := range ends {
		batch = append(batch, buf[start:end:end])
		start = end
	}
	const most = 1 << 20 // bytes that are kept for the next batch
	if j.buf, j.ends, j.each = buf[:0], ends[:0], batch[:0]; 2*cap(buf) > most || cap(batch) > 1<<14 {
		j.buf, j.ends, j.each = nil, nil, nil
		next = next.Clone()
	}
	return next, records, batch, nil
}
