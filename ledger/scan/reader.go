package scan

import (
	"errors"
	"io/fs"
	"sync"

	"github.com/planlock/planlock/ledger"
)

// do does a job. A scan that was cancelled only lets go of what jobs hold open.
func (r *reader) do(j job) {
	v := j.v
	switch {
	case r.walk.ctx.Err() != nil:
		if j.hi > 0 {
			r.release(v)
		} else if v.placed {
			r.release(v.up)
		}
	case j.hi > 0:
		r.part(v, j.lo, j.hi)
		r.release(v)
	default:
		r.visit(v)
	}
}

// visit opens a folder, finds what is in it, and makes jobs of that.
func (r *reader) visit(v *visit) {
	if !r.enter(v) {
		return
	}
	v.users.Store(1)
	defer r.release(v)
	if !r.knows(v) {
		if err := r.list(v); err != nil {
			v.end = gone // it was taken away between opening and listing, or
			if v.up == nil || !errors.Is(err, fs.ErrNotExist) {
				r.refuse(v, err)
			}
			return
		}
	}
	v.end = read
	_, rows, _ := v.base()
	n := len(rows)
	// The first entries are this reader's own; the rest are jobs that others
	// may take.
	first := min(n, batch)
	hold := r.walk.open.Load() <= maxHeld
	if hold {
		v.users.Add(int32(len(v.subs)))
	}
	for lo := first; lo < n; lo += batch {
		v.users.Add(1)
		r.jobs = append(r.jobs, job{v, lo, min(n, lo+batch)})
	}
	for _, sub := range v.subs {
		if sub.placed = hold; r.walk.spares(sub) {
			sub.end, sub.status, sub.node = read, sub.prior.status, sub.prior
			if hold {
				r.release(v)
			}
			continue
		}
		r.jobs = append(r.jobs, job{v: sub})
	}
	if first > 0 {
		r.part(v, 0, first)
	}
}

// release closes the folder when nobody needs it any more. The root is the
// caller's.
func (r *reader) release(v *visit) {
	if v.users.Add(-1) != 0 {
		return
	}
	v.share()
	if v.up != nil {
		v.dir.close()
		r.walk.open.Add(-1)
	}
}

// enter opens the folder of a visit. Where there is none any more, it notes
// what stands there now.
func (r *reader) enter(v *visit) bool {
	if v.up == nil {
		return true
	}
	in, err := r.place(v)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.refuse(v, err)
		}
		return false
	}
	defer r.leave(v, in)
	for range tries {
		v.dir, err = in.enter(&r.buffers, v.name)
		if err == nil {
			if v.status, err = v.dir.status(); err == nil {
				r.walk.open.Add(1)
				return true
			}
			v.dir.close()
		}
		now, statErr := in.stat(&r.buffers, v.name)
		switch {
		case errors.Is(statErr, fs.ErrNotExist):
			return false
		case statErr != nil:
			r.refuse(v, statErr)
			return false
		case now.kind() == ledger.Dir:
			v.status = now
			if errors.Is(err, fs.ErrPermission) {
				r.refuse(v, err)
				return false
			}
			continue // it is there again
		}
		s, readErr := r.entry(in, v.name, unclear, now)
		switch {
		case errors.Is(readErr, fs.ErrNotExist):
			return false
		case readErr == nil && s.row.Kind() == ledger.Dir:
			continue
		case readErr != nil:
			v.status = now
			r.refuse(v, readErr)
			return false
		}
		v.end, v.other = replaced, &s
		return false
	}
	r.refuse(v, err)
	return false
}

// place is the folder that holds that of a visit.
func (r *reader) place(v *visit) (folder, error) {
	if v.placed {
		return v.up.dir, nil
	}
	return descend(&r.buffers, r.walk.top.dir, v.up.path())
}

// leave lets go of what place opened.
func (r *reader) leave(v *visit, in folder) {
	if v.placed {
		r.release(v.up)
	} else if in != r.walk.top.dir {
		in.close()
	}
}

// knows reports whether the prior scan knew the names in the folder, and takes
// them over.
func (r *reader) knows(v *visit) bool {
	p := v.prior
	if p == nil || !r.walk.sameScope || p.named != v.named || v.status != p.status || !r.walk.belief.covers(&p.status) {
		return false
	}
	v.adopt()
	return true
}

// list reads the names in the folder. What the prior scan knew of them is kept
// beside them; if the names are the same, they are the prior ones.
func (r *reader) list(v *visit) error {
	// A folder may let its names be listed and nothing in it be reached; then
	// all of it cannot be read.
	if v.status.mode&0o111 != 0o111 {
		if _, err := v.dir.stat(&r.buffers, "."); err != nil {
			return err // names can be listed, and nothing more
		}
	}
	r.arena, r.names, r.kept = r.arena[:0], r.names[:0], r.kept[:0]
	if err := v.dir.list(&r.buffers); err != nil {
		return err
	}
	r.sort()
	p := v.prior
	var before ledger.Names
	if p != nil {
		before = p.Names()
	}
	known, next := before.Len(), 0
	same := p != nil && p.named == v.named
	dir := sync.OnceValue(v.path) // most listings need no path
	for _, l := range r.names {
		name := r.name(l)
		for next < known && before.At(next) < string(name) {
			next, same = next+1, false
		}
		k := keptName{name: l, kind: l.kind, prior: -1}
		if next < known && before.At(next) == string(name) {
			k.prior = next
			next++
		}
		if !r.keep(v, dir, &k) {
			same = same && k.prior < 0
			continue
		}
		same = same && k.prior >= 0 && p.fits(&k)
		r.kept = append(r.kept, k)
	}
	if same && next == known {
		v.adopt()
		return nil
	}
	r.arrange(v)
	return nil
}

// keep reports whether a name in the folder at dir is part of the tree, and
// completes what is known of it.
func (r *reader) keep(v *visit, dir func() string, k *keptName) bool {
	if p := v.prior; r.walk.sameScope && k.prior >= 0 && p.named == v.named {
		k.named = p.marks[k.prior].has(named)
		if sub := p.sub(k.prior); sub != nil {
			k.named = sub.named
		}
	} else {
		path := join(dir(), string(r.name(k.name)))
		if r.walk.scanner.Scope.Omits(path) {
			return false
		}
		k.named = v.named || r.walk.scanner.Scope.NamesOnly(path)
	}
	if k.kind == unclear {
		now, err := v.dir.stat(&r.buffers, string(r.name(k.name)))
		if errors.Is(err, fs.ErrNotExist) {
			return false
		}
		k.kind = now.kind() // what cannot be looked at is so when it is read
	}
	return true
}

// fits reports whether an entry of a prior scan can stay where it is for a name
// that was listed.
func (n *node) fits(k *keptName) bool {
	if sub := n.sub(k.prior); sub != nil || k.kind == ledger.Dir {
		return k.kind == ledger.Dir && sub != nil && sub.named == k.named
	}
	return n.marks[k.prior].has(named) == k.named
}

// arrange makes the entries of the names that were kept, as far as they are
// known.
func (r *reader) arrange(v *visit) {
	for i := range r.kept {
		r.namer.Add(r.name(r.kept[i].name))
	}
	v.fresh, v.names = true, r.namer.Names()
	v.rows, v.marks = make([]ledger.Row, len(r.kept)), make([]mark, len(r.kept))
	for i := range r.kept {
		k, row := &r.kept[i], &v.rows[i]
		switch fits := k.prior >= 0 && v.prior.fits(k); {
		case k.kind == ledger.Dir:
			sub := &visit{name: v.names.At(i), up: v, at: i, named: k.named}
			if k.prior >= 0 {
				sub.prior = v.prior.sub(k.prior)
			}
			if v.like != nil {
				sub.like = v.like.Named(sub.name)
			}
			v.subs = append(v.subs, sub)
			*row = noRow(ledger.Dir)
		case fits:
			*row, v.marks[i] = v.prior.Rows()[k.prior], v.prior.marks[k.prior]
			if row.Bits == ledger.RowLink {
				v.link(i, v.prior.Target(k.prior))
			}
		case k.named:
			*row, v.marks[i] = noRow(ledger.Special), mark{marks: named}
		default:
			*row = noRow(k.kind)
		}
	}
}

const (
	aloneBelow = 512 // trees that small are scanned by one reader
	batch      = 256 // entries in a job: enough to share a large folder
)

// start scans with all readers, and returns when all is done.
func (c *crew) start(w *walk) {
	c.cond.L = &c.mu
	c.size = w.scanner.Workers
	if c.size <= 0 {
		c.size = defaultWorkers
		if w.prior != nil && w.prior.root.Len() < aloneBelow {
			c.size = 1
		}
	}
	c.shared = append(c.shared, job{v: w.top})
	var others sync.WaitGroup
	for range c.size - 1 {
		others.Go(func() { c.work(w) })
	}
	c.work(w)
	others.Wait()
}

// work does jobs until nobody has any.
func (c *crew) work(w *walk) {
	r := w.spare.take(w)
	defer w.spare.give(r)
	for {
		for len(r.jobs) > 0 {
			j := r.jobs[len(r.jobs)-1]
			r.jobs = r.jobs[:len(r.jobs)-1]
			r.do(j)
			if len(r.jobs) > 1 && c.waiting.Load() > 0 {
				c.hand(r)
			}
		}
		if !c.fetch(r) {
			return
		}
	}
}

// hand gives away the older half of a reader's jobs.
func (c *crew) hand(r *reader) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(r.jobs) / 2
	c.shared = append(c.shared, r.jobs[:n]...)
	r.jobs = r.jobs[:copy(r.jobs, r.jobs[n:])]
	c.cond.Broadcast()
}

// fetch waits for jobs. There are none any more when everybody waits.
func (c *crew) fetch(r *reader) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := c.waiting.Add(1)
	for len(c.shared) == 0 && !c.over {
		if int(waiting) == c.size {
			c.over = true
			c.cond.Broadcast()
			return false
		}
		c.cond.Wait()
		waiting = c.waiting.Load()
	}
	if c.over {
		return false
	}
	c.waiting.Add(-1)
	n := (len(c.shared) + 1) / 2
	r.jobs = append(r.jobs, c.shared[len(c.shared)-n:]...)
	c.shared = c.shared[:len(c.shared)-n]
	return true
}
