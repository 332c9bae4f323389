package folder

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/planlock/planlock/ledger"
)

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
	end := d.own.end
	fresh := d.fresh()
	for i, put := range slices.Backward(fresh) {
		start := d.own.marked // where the pack ended before
		if i > 0 {
			start = fresh[i-1].offset + fresh[i-1].size
		}
		if !mine[put.key] || start < d.relied.Load() {
			break
		}
		end, gone = start, append(gone, ledger.DigestOf(put.key))
	}
	if err := d.pop(end); err != nil {
		return nil, err
	}
	return gone, nil
}

// A freshPut is a content that was put and not synced yet.
type freshPut struct {
	key sum
	place
}

// fresh are the contents of the own pack that are not synced yet, in their
// order.
func (d *Blobs) fresh() (list []freshPut) {
	for key, w := range d.index.all {
		if w.pack == d.own.name && w.offset >= d.own.marked {
			list = append(list, freshPut{key, w.place})
		}
	}
	slices.SortFunc(list, func(a, b freshPut) int { return cmp.Compare(a.offset, b.offset) })
	return list
}

// pop cuts the own pack, behind a content that is not synced or the last mark.
func (d *Blobs) pop(end int64) error {
	if end == d.own.end {
		return nil
	}
	if err := d.own.back(end); err != nil {
		return fmt.Errorf("checkpoint: cut pack %q: %w", d.path(d.own.name), err) // all of it stays, and is whole
	}
	d.index.drop(d.own.name, end)
	return nil
}
