package scan

import (
	"errors"
	"io/fs"
	"strings"
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
	entries, _ := v.base()
	n := len(entries)
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
	if v.users.Add(-1) == 0 && v.up != nil {
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
	_, name := splitPath(v.path)
	for range tries {
		v.dir, err = in.enter(&r.buffers, name)
		if err == nil {
			if v.status, err = v.dir.status(); err == nil {
				r.walk.open.Add(1)
				return true
			}
			v.dir.close()
		}
		now, statErr := in.stat(&r.buffers, name)
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
		s, readErr := r.entry(in, name, v.path, unclear, now)
		switch {
		case errors.Is(readErr, fs.ErrNotExist):
			return false
		case readErr == nil && s.entry.Kind == ledger.Dir:
			continue
		case readErr != nil:
			v.status = s.mark.status
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
	return descend(&r.buffers, r.walk.top.dir, v.up.path)
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
	known, next := 0, 0
	if p != nil {
		known = len(p.Entries())
	}
	same := p != nil && p.named == v.named
	for _, l := range r.names {
		name := r.name(l)
		for next < known && p.Name(next) < string(name) {
			next, same = next+1, false
		}
		k := keptName{kind: l.kind, prior: -1}
		if next < known && p.Name(next) == string(name) {
			k.prior, k.path = next, p.Entries()[next].Path
			next++
		} else {
			k.path = join(v.path, name)
		}
		if !r.keep(v, &k) {
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

// join makes a path with one allocation.
func join(dir string, name []byte) string {
	var b strings.Builder
	b.Grow(len(dir) + 1 + len(name))
	if dir != "" {
		b.WriteString(dir)
		b.WriteByte('/')
	}
	b.Write(name)
	return b.String()
}

// keep reports whether a name is part of the tree, and completes what is known
// of it.
func (r *reader) keep(v *visit, k *keptName) bool {
	if p := v.prior; r.walk.sameScope && k.prior >= 0 && p.named == v.named {
		k.named = p.marks[k.prior].named || p.Entries()[k.prior].Kind == ledger.Dir && p.sub(k.prior).named
	} else {
		if r.walk.scanner.Scope.Omits(k.path) {
			return false
		}
		k.named = v.named || r.walk.scanner.Scope.NamesOnly(k.path)
	}
	if k.kind == unclear {
		_, name := splitPath(k.path)
		now, err := v.dir.stat(&r.buffers, name)
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
	if k.kind == ledger.Dir {
		return n.Entries()[k.prior].Kind == ledger.Dir && n.sub(k.prior).named == k.named
	}
	return n.Entries()[k.prior].Kind != ledger.Dir && n.marks[k.prior].named == k.named
}

// arrange makes the entries of the names that were kept, as far as they are
// known.
func (r *reader) arrange(v *visit) {
	v.fresh = true
	v.found, v.marks = make([]ledger.Entry, len(r.kept)), make([]mark, len(r.kept))
	for i := range r.kept {
		k, e := &r.kept[i], &v.found[i]
		switch fits := k.prior >= 0 && v.prior.fits(k); {
		case k.kind == ledger.Dir:
			sub := &visit{path: k.path, up: v, at: i, named: k.named}
			if k.prior >= 0 && v.prior.Entries()[k.prior].Kind == ledger.Dir {
				sub.prior = v.prior.sub(k.prior)
			}
			v.subs = append(v.subs, sub)
			*e = ledger.Entry{Path: k.path, Kind: ledger.Dir}
		case fits:
			*e, v.marks[i] = v.prior.Entries()[k.prior], v.prior.marks[k.prior]
		case k.named:
			*e, v.marks[i] = ledger.Entry{Path: k.path, Kind: ledger.Special}, mark{named: true}
		default:
			*e = ledger.Entry{Path: k.path, Kind: k.kind}
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
