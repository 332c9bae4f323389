package cache

import (
	"cmp"
	"container/list"
	"crypto/sha256"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/ledger"
)

func (b *Blobs) path(name string) string { return filepath.Join(b.dir, name) }

// scheme begins each digest.
const scheme = "sha256:"

// name is that of the file of a content, in a folder of which there are 256.
func name(d ledger.Digest) string {
	sum := strings.TrimPrefix(string(d), scheme)
	return filepath.Join(sum[:2], sum[2:])
}

// unfinished begins the names of files that are being written.
const unfinished = "new-"

// list finds what is kept. What is not finished is removed.
func (b *Blobs) list() error {
	type found struct {
		*entry
		at time.Time
	}
	var all []found
	err := filepath.WalkDir(b.dir, func(path string, f fs.DirEntry, err error) error {
		if err != nil || !f.Type().IsRegular() {
			return err
		}
		if strings.HasPrefix(f.Name(), unfinished) {
			return os.Remove(path)
		}
		digest := ledger.Digest(scheme + filepath.Base(filepath.Dir(path)) + f.Name())
		if _, err := digest.Sum(); err != nil {
			return nil // the lock, or somebody's
		}
		info, err := f.Info()
		if err == nil {
			all = append(all, found{&entry{digest: digest, size: info.Size()}, info.ModTime()})
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("checkpoint: open cache: %w", err)
	}
	slices.SortFunc(all, func(x, y found) int { return cmp.Or(y.at.Compare(x.at), cmp.Compare(x.digest, y.digest)) })
	for _, f := range all {
		b.kept[f.digest] = b.order.PushBack(f.entry)
		b.size += f.size
	}
	b.room(0)
	return nil
}

// touch notes for the next process when a file was used.
func touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now) // else it goes earlier
}

// use notes that an entry is used. It is called with mu held.
func (b *Blobs) use(at *list.Element) {
	b.clock++
	at.Value.(*entry).used = b.clock
	b.order.MoveToFront(at)
}

// remove removes a content. It is called with mu held.
func (b *Blobs) remove(at *list.Element) {
	e := b.order.Remove(at).(*entry)
	delete(b.kept, e.digest)
	b.size -= e.size
	_ = os.Remove(b.path(name(e.digest))) // else the next process finds it
}

// room makes room for so many bytes, if that can be had. It is called with mu held.
func (b *Blobs) room(n int64) bool {
	since := b.clock
	for hold := range b.holds {
		since = min(since, *hold)
	}
	for b.size+n > b.most {
		last := b.order.Back()
		if last == nil || last.Value.(*entry).used > since {
			return false
		}
		b.remove(last)
	}
	return true
}

// full reports whether hardly more can be kept, as all that is there is held.
func (b *Blobs) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.room(1)
}

// has reports whether a content is kept, and says that it is used.
func (b *Blobs) has(d ledger.Digest) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, ok := b.kept[d]
	if ok {
		b.use(at)
	}
	return ok
}

// A taken content is written to a file on the way.
type taken struct {
	b      *Blobs
	digest ledger.Digest
	hash   hash.Hash
	size   int64
	f      *os.File // nil: it is not kept
}

// taking begins to take a content.
func (b *Blobs) taking(d ledger.Digest) *taken {
	t := &taken{b: b, digest: d, hash: sha256.New()}
	if b.most > 0 {
		t.f, _ = os.CreateTemp(b.dir, unfinished) // without it nothing is kept
	}
	return t
}

// Write takes what it can. It never fails: whoever reads goes on.
func (t *taken) Write(p []byte) (int, error) {
	if t.f == nil {
		return len(p), nil
	}
	t.size += int64(len(p))
	_, err := t.f.Write(p)
	if err != nil || t.size > t.b.most {
		t.drop()
		return len(p), nil
	}
	t.hash.Write(p)
	return len(p), nil
}

// drop keeps nothing of it.
func (t *taken) drop() {
	if t.f != nil {
		_, _ = t.f.Close(), os.Remove(t.f.Name()) // the next process removes it
		t.f = nil
	}
}

// sum is that of what was taken, and no content's where it is not kept.
func (t *taken) sum() (sum [32]byte) {
	if t.f != nil {
		copy(sum[:], t.hash.Sum(nil))
	}
	return sum
}

// keep keeps what was taken, where there is room.
func (t *taken) keep() bool {
	b := t.b
	defer t.drop()
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, ok := b.kept[t.digest]; ok { // somebody else was faster
		b.use(at)
		return true
	}
	if !b.room(t.size) {
		return false
	}
	to := b.path(name(t.digest))
	err := os.Mkdir(filepath.Dir(to), 0o700)
	if err != nil && !os.IsExist(err) {
		return false
	}
	if t.f.Close() != nil || os.Rename(t.f.Name(), to) != nil {
		return false // drop removes it
	}
	t.f = nil
	b.clock++
	b.kept[t.digest] = b.order.PushFront(&entry{digest: t.digest, size: t.size, used: b.clock})
	b.size += t.size
	return true
}
