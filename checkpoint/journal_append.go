package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// An appending is what one call adds. Those that arrive while one is written
// wait in a queue, and are written together: one of them leads, the others wait.
type appending struct {
	facts   []Fact
	how     haste
	closes  bool // it is the last one: nothing must be left that is not durable
	records []Record
	err     error

	done chan struct{}     // closed when records or err are there
	lead chan []*appending // told to lead these, itself the first
}

// adds reports whether a adds something to the log; else it wants that what was written is synced.
func (a *appending) adds() bool { return len(a.facts) > 0 || a.how == written || a.closes }

// A haste is how soon facts must be safe. What is written together is as safe as the safest of it wants.
type haste int

const (
	staged  haste = iota // with the next ones
	written              // from the death of this process
	durable              // from a power cut
)

// Append adds facts as one durable batch, and returns them in their place. The Data of a record is that of its fact where there is no white space in it.
// After an error none of them is in the journal, or every later Append fails;
// after a failed sync it is the latter. Facts that were staged go with them.
//
// A call that is cancelled while it waits for others adds nothing; once its facts
// are being written together with those of others it cannot be cancelled.
func (j *Journal) Append(ctx context.Context, facts ...Fact) ([]Record, error) {
	if len(facts) == 0 {
		return nil, nil
	}
	return j.lead(ctx, &appending{facts: facts, how: durable})
}

// Write adds facts like Append, but does not wait for the disk: they outlive this process, and the next Append, Sync or Close
// makes them durable. Until then a power cut may take them, the last ones first. It is Append where the log is no
// LogWriter. Facts that were staged go with them; without facts it writes those.
func (j *Journal) Write(ctx context.Context, facts ...Fact) ([]Record, error) {
	return j.lead(ctx, &appending{facts: facts, how: written})
}

// Stage adds facts like Append, but does not make them durable: the next Append
// does, in one piece with its own, or Close. So what nobody relies on yet, and would
// only be done again, costs no sync. Until then they are lost with the process.
func (j *Journal) Stage(ctx context.Context, facts ...Fact) ([]Record, error) {
	if len(facts) == 0 {
		return nil, nil
	}
	return j.lead(ctx, &appending{facts: facts, how: staged})
}

// Hasten has the disk begin with what was written, and waits for nothing: whoever has something else to do before Sync waits less there.
func (j *Journal) Hasten() {
	if w, ok := j.log.(LogWriter); ok {
		w.Hasten()
	}
}

// Sync makes durable what was written. Where the disk fails, nobody knows whether it is, and the journal is dead: every later
// call fails. A call that is cancelled before it began changes nothing. Facts that were staged stay so.
func (j *Journal) Sync(ctx context.Context) error {
	_, err := j.lead(ctx, &appending{how: durable})
	return err
}

// lead adds a, and what others want to add meanwhile, or has another do that.
func (j *Journal) lead(ctx context.Context, a *appending) ([]Record, error) {
	group := []*appending{a}
	j.mu.Lock()
	if j.writing {
		a.done, a.lead = make(chan struct{}), make(chan []*appending, 1)
		j.queue = append(j.queue, a)
	}
	queued := j.writing
	j.writing = true
	j.mu.Unlock()
	if queued {
		if group = j.wait(ctx, a); group == nil {
			return a.records, a.err
		}
	}
	j.write(ctx, group)
	for _, other := range group[1:] {
		close(other.done)
	}
	j.handOver()
	return a.records, a.err
}

// wait waits until a is written, or has to lead the group that it returns.
func (j *Journal) wait(ctx context.Context, a *appending) (group []*appending) {
	select {
	case <-a.done:
		return nil
	case group := <-a.lead:
		return group
	case <-ctx.Done():
	}
	j.mu.Lock()
	i := slices.Index(j.queue, a)
	if i >= 0 {
		j.queue = slices.Delete(j.queue, i, i+1)
	}
	j.mu.Unlock()
	if i >= 0 {
		a.err = fmt.Errorf("checkpoint: append to journal %q: %w", j.name, context.Cause(ctx))
		return nil
	}
	select {
	case <-a.done:
		return nil
	case group := <-a.lead:
		return group
	}
}

// handOver lets the first of those that wait lead the others.
func (j *Journal) handOver() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.queue) == 0 {
		j.writing = false
		return
	}
	group := j.queue
	j.queue = nil
	group[0].lead <- group
}

// write adds what a group wants to add. If that fails for all together, it
// tries for each alone.
func (j *Journal) write(ctx context.Context, group []*appending) {
	if len(group) > 1 {
		ctx = context.WithoutCancel(ctx)
	}
	next, batch, how := j.encode(group)
	if len(batch) == 0 || !slices.ContainsFunc(group, (*appending).adds) {
		if how == durable {
			j.sync(ctx, group)
		}
		return
	}
	how, err := j.give(ctx, batch, how)
	if how != staged {
		clear(batch) // the slice is used again, and what was staged need not be kept for that
	}
	switch {
	case err == nil:
		if j.tip, j.staged = next, nil; how == staged {
			j.staged = batch
			return
		}
		if j.given = next.clone(); how == durable {
			j.acknowledge()
		}
		return
	case len(group) > 1 && !errors.Is(err, ErrDead):
		for _, a := range group {
			a.records, a.err = nil, nil
			j.write(ctx, []*appending{a})
		}
		return
	}
	for _, a := range group {
		if a.records = nil; a.err == nil {
			a.err = fmt.Errorf("checkpoint: append to journal %q: %w", j.name, err)
		}
	}
}

// sync syncs what was written, for a group of which at least one wants that and nothing is added.
func (j *Journal) sync(ctx context.Context, group []*appending) {
	w, ok := j.log.(LogWriter)
	if !ok {
		return // what it took is durable
	}
	err := w.Sync(ctx)
	if err == nil {
		j.acknowledge()
		return
	}
	for _, a := range group {
		if a.err == nil {
			a.err = fmt.Errorf("checkpoint: sync journal %q: %w", j.name, err)
		}
	}
}

// acknowledge takes all that was written for durable.
func (j *Journal) acknowledge() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.chain = j.given.clone()
}

// give gives a batch to the log, and returns how safe it is then.
func (j *Journal) give(ctx context.Context, batch [][]byte, how haste) (haste, error) {
	switch w, ok := j.log.(LogWriter); {
	case how == staged:
		return staged, nil
	case how == written && ok:
		return written, w.Write(ctx, batch)
	}
	return durable, j.log.Append(ctx, batch)
}

// encode returns what is staged and what group adds, and where the chain is
// behind it. An appending that cannot be encoded has its error, and is left out.
func (j *Journal) encode(group []*appending) (next chain, batch [][]byte, how haste) {
	next = j.tip.clone()
	next.scratch = j.scratch
	buf, ends := j.buf[:0], j.ends[:0]
	for _, a := range group {
		now, before, start, count := j.now().UTC().Round(0), next.clone(), len(buf), len(ends)
		a.records = make([]Record, len(a.facts))
		for i, f := range a.facts {
			if buf, a.records[i], a.err = next.extend(buf, f, now); a.err != nil {
				a.err = fmt.Errorf("checkpoint: append to journal %q: fact %d: %w", j.name, i+1, a.err)
				break
			}
			ends = append(ends, len(buf))
		}
		if a.err != nil {
			a.records, next, buf, ends = nil, before, buf[:start], ends[:count]
			continue
		}
		if how = max(how, a.how); a.closes && next.seq > j.chain.seq {
			how = durable
		}
	}
	start, used := 0, buf
	if how == staged { // it is kept behind what was staged before, and the buffer is used again
		buf, batch = slices.Clone(buf), j.staged
	} else {
		batch = append(j.batch[:0], j.staged...)
	}
	for _, end := range ends {
		batch = append(batch, buf[start:end:end])
		start = end
	}
	if j.buf, j.scratch, j.ends = used[:0], next.scratch[:0], ends[:0]; cap(used)+cap(j.scratch) > 1<<20 {
		j.buf, j.scratch, j.ends, j.batch = nil, nil, nil, nil
	} else if how != staged && cap(batch) <= 1<<14 {
		j.batch = batch[:0]
	}
	next.scratch = nil
	return next, batch, how
}
