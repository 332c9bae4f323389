package folder

import (
	"fmt"

	"github.com/planlock/planlock/ledger"
)

// A freshPut is a content that was put and not synced yet.
type freshPut struct {
	key   sum
	start int64 // where its pack ended before
}

// rely notes that somebody was told that the content at w is kept.
func (d *Blobs) rely(w where) {
	if d.own == nil || w.pack != d.own.name {
		return
	}
	// Readers do this at the same time, under a lock that they share.
	for end := w.offset + w.size; ; {
		if now := d.relied.Load(); now >= end || d.relied.CompareAndSwap(now, end) {
			return
		}
	}
}

// TakeBack cuts contents off the end of the own pack again, as far as they are
// among digests, not synced, and nobody else was told that they are kept. So a
// snapshot that fails because the disk is full leaves the disk as it was:
// blocks that are shared with the workspace would stay taken when the files are
// gone. It returns those that are not kept any more.
func (d *Blobs) TakeBack(digests []ledger.Digest) (gone []ledger.Digest, err error) {
	mine := map[sum]bool{}
	for _, digest := range digests {
		if key, err := digest.Sum(); err == nil {
			mine[key] = true
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.usable() != nil || d.own == nil {
		return nil, nil
	}
	// From the end on, and only while each is the caller's: what lies before
	// somebody else's content cannot be cut.
	n := len(d.fresh)
	for n > 0 && mine[d.fresh[n-1].key] && d.fresh[n-1].start >= d.relied.Load() {
		n--
		gone = append(gone, ledger.DigestOf(d.fresh[n].key))
	}
	if err := d.pop(n); err != nil {
		return nil, err
	}
	return gone, nil
}

// pop cuts what was put since the last sync off the own pack, but for the first
// n contents.
func (d *Blobs) pop(n int) error {
	if n == len(d.fresh) {
		return nil
	}
	end := d.fresh[n].start
	if err := d.own.back(end); err != nil {
		return fmt.Errorf("checkpoint: cut pack %q: %w", d.path(d.own.name), err) // all of it stays, and is whole
	}
	for _, put := range d.fresh[n:] {
		delete(d.index, put.key)
	}
	d.fresh = d.fresh[:n]
	return nil
}
