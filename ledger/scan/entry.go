package scan

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"github.com/planlock/planlock/ledger"
)

// part looks at some of the entries of an open folder.
func (r *reader) part(v *visit, lo, hi int) {
	names, rows, marks := v.base()
	for i := lo; i < hi; i++ {
		row, m := &rows[i], &marks[i]
		if row.Bits&ledger.RowKind == ledger.RowDir || m.has(named) {
			continue
		}
		var now status
		if m.has(looked) {
			var err error
			if now, err = v.dir.stat(&r.buffers, names.At(i)); err == nil {
				if m.equals(row, &now) && r.walk.belief.covers(&now) {
					continue
				}
			} // else it is looked at once more, and the error found again
		}
		if r.walk.ctx.Err() != nil {
			return
		}
		r.look(v, i, now)
	}
}

// look reads an entry, and notes what it is now.
func (r *reader) look(v *visit, i int, now status) {
	names, rows, marks := v.base()
	name, kind := names.At(i), rows[i].Kind()
	s, err := r.entry(v.dir, name, kind, now)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s = seen{row: ledger.Row{Bits: absent}}
	case err != nil && !r.tolerates(&s):
		r.walk.fail(join(v.path(), name), err)
		return
	case s.row.Kind() == ledger.Dir:
		r.becomes(v, i, name)
		return
	}
	target := ""
	if kind == ledger.Link {
		target = r.walk.target(v, i)
	}
	if !s.is(&rows[i], target, &marks[i]) {
		r.walk.put(v, i, s)
	}
}

// becomes makes a visit of an entry that was no folder a moment before.
func (r *reader) becomes(v *visit, i int, name string) {
	sub := &visit{name: name, up: v, at: i, placed: true, named: v.named}
	sub.named = v.named || r.walk.scanner.Scope.NamesOnly(sub.path())
	v.users.Add(1)
	r.walk.mu.Lock()
	v.late = append(v.late, sub)
	r.walk.mu.Unlock()
	r.jobs = append(r.jobs, job{v: sub})
}

// entry reads what stands at name. A folder is not read. kind is what is
// expected, and now what is known already, if its mode is not zero. With an
// error comes as much as was seen.
func (r *reader) entry(in folder, name string, kind ledger.Kind, now status) (s seen, err error) {
	// Whatever changes between two looks is looked at again, a few times: then
	// something writes all the time, and no state of it would be true.
	for range tries {
		switch {
		case now.mode != 0:
		case kind == ledger.File: // it is opened at once, which says as much
			if s, err = r.file(in, name, nil); err == nil || !errors.Is(err, ErrChanging) {
				return s, err
			}
			fallthrough
		default:
			if now, err = in.stat(&r.buffers, name); err != nil {
				return seen{row: noRow(ledger.Special)}, err
			}
		}
		s = r.seen(&now)
		switch s.row.Kind() {
		case ledger.Link:
			s.target, err = in.target(&r.buffers, name)
			if err == nil && s.target == "" || err != nil && !errors.Is(err, fs.ErrPermission) {
				err = ErrChanging // it was a link a moment ago
			}
		case ledger.File:
			s, err = r.file(in, name, &now)
		}
		if err == nil || !errors.Is(err, ErrChanging) {
			return s, err
		}
		kind, now = unclear, status{}
	}
	return s, err
}

// file reads the regular file at name: looks at it, reads it, and looks again.
func (r *reader) file(in folder, name string, known *status) (s seen, err error) {
	f, err := in.file(&r.buffers, name)
	if err != nil {
		// What was there may not be: a link to the outside, a socket, nothing.
		now, statErr := in.stat(&r.buffers, name)
		switch {
		case statErr != nil:
			return seen{row: noRow(ledger.Special)}, statErr
		case now.kind() != ledger.File, known != nil && !now.same(known):
			err = ErrChanging
		}
		return r.seen(&now), err
	}
	defer f.close()
	r.reads++
	before, err := f.status()
	if err != nil {
		return s, err
	}
	s = r.seen(&before)
	if before.kind() != ledger.File || known != nil && before != *known {
		return s, ErrChanging
	}
	if most := r.walk.scanner.MaxFile; before.size > most {
		return s, fmt.Errorf("%w: it has %d bytes, and files of more than %d are not read; leave it out with [ledger] ignore", errTooLarge, before.size, most)
	}
	if s.row.Sum, err = r.sum(f, before.size); err != nil {
		return s, err
	}
	if after, err := f.status(); err != nil || after != before {
		return s, errors.Join(err, ErrChanging)
	}
	return s, nil
}

// seen is what a status tells, as the kind that it names.
func (r *reader) seen(now *status) seen {
	return seen{row: now.row(), mark: now.mark(r.walk.trust.dev)}
}

// sum reads the content of a file that should have size bytes. It stops as soon
// as there are more.
func (r *reader) sum(f openFile, size int64) (sum [sha256.Size]byte, err error) {
	if r.content == nil {
		r.content = make([]byte, contentSize)
	}
	if size < contentSize {
		if err := readWhole(f, r.content[:size+1]); err != nil {
			return sum, err
		}
		return sha256.Sum256(r.content[:size]), nil
	}
	if r.hash == nil {
		r.hash = sha256.New()
	}
	r.hash.Reset()
	for n := int64(0); n <= size; {
		if err := r.walk.ctx.Err(); err != nil {
			return sum, err
		}
		k, err := f.read(r.content)
		if err != nil {
			return sum, err
		}
		if n += int64(k); k == 0 {
			if n != size {
				break
			}
			return [sha256.Size]byte(r.hash.Sum(r.content[:0])), nil
		}
		r.hash.Write(r.content[:k])
	}
	return sum, ErrChanging
}

// readWhole reads a file that is one byte shorter than b.
func readWhole(f openFile, b []byte) error {
	n, err := f.read(b)
	for got := n; err == nil && got > 0 && n < len(b)-1; n += got { // a read may bring less than there is
		got, err = f.read(b[n:])
	}
	if err == nil && n != len(b)-1 {
		err = ErrChanging
	}
	return err
}
