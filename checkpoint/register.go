package checkpoint

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// A register is what a Store knows of its Blobs without asking them. It is safe
// for concurrent use.
type register struct {
	mu       sync.Mutex
	durable  map[ledger.Digest]time.Time  // some that this Store saw, and when
	puts     map[ledger.Digest]putAt      // durable nowhere yet, as far as this Store put it
	more     bool                         // was put, and is not in puts
	moreAt   uint64                       // the last sync at which more was put
	syncs    uint64                       // that were begun
	loose    bool                         // something was put that is not durable anywhere
	unsynced int                          // bytes that were put for snapshots since the last sync
	adopted  map[ledger.Digest][]byte     // what journals carry and blobs do not hold
	waiting  map[ledger.Digest]unreferred // kept, and no record refers to it as far as this Store knows
}

// putAt is when something was put: at which sync, and at what time.
type putAt struct {
	sync uint64
	time time.Time
}

func newRegister() register {
	return register{durable: map[ledger.Digest]time.Time{}, puts: map[ledger.Digest]putAt{},
		waiting: map[ledger.Digest]unreferred{}}
}

func (r *register) knows(d ledger.Digest) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, known := r.durable[d]
	return known && Lately(at)
}

// learn says that contents were durable at some time.
func (r *register) learn(at time.Time, digests ...ledger.Digest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range digests {
		r.know(d, at)
	}
}

// mostKnown is how many contents a register names. Beyond, the blobs are asked
// of what is durable, and all may have been put: there may be millions.
const mostKnown = 1 << 16

// know notes that a content was durable at some time.
func (r *register) know(d ledger.Digest, at time.Time) {
	if len(r.durable) >= mostKnown {
		clear(r.durable)
	}
	r.durable[d] = at
	delete(r.puts, d)
}

// wasPut says that a content was put.
func (r *register) wasPut(d ledger.Digest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.puts) < mostKnown {
		r.puts[d] = putAt{r.syncs, time.Now()}
	} else {
		r.more, r.moreAt = true, r.syncs
	}
}

// isPut reports whether a content that is kept may be one that was put, and is
// durable nowhere yet.
func (r *register) isPut(d ledger.Digest) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.puts[d]
	_, durable := r.durable[d]
	return ok || r.more && !durable
}

// forget says that contents were taken back.
func (r *register) forget(digests []ledger.Digest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range digests {
		delete(r.puts, d)
	}
}

// beginSync returns what was adopted, and the number of the sync.
func (r *register) beginSync() (adopted map[ledger.Digest][]byte, begun uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	adopted, begun = r.adopted, r.syncs
	r.syncs++
	return adopted, begun
}

// synced says that a sync succeeded: what was put before it began is durable.
func (r *register) synced(begun uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.adopted, r.loose, r.unsynced = nil, false, 0
	for d, at := range r.puts {
		if at.sync <= begun { // else it was put meanwhile
			r.know(d, at.time)
		}
	}
	r.more = r.more && r.moreAt > begun
}

// owes reports whether something should be synced before more is put.
func (r *register) owes() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loose || len(r.adopted) > 0
}

// packSlack is how much may lie in the store without being synced: all of it is
// hashed by whoever opens the store after a crash.
const packSlack = 1 << 20

// loosen says that n bytes were put that a record will carry, and reports
// whether so much of that is not synced by now that it had better be.
func (r *register) loosen(n int) (much bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unsynced += n
	much = r.unsynced > packSlack
	r.loose = r.loose || !much
	return much
}

// settle says that what was put is durable elsewhere.
func (r *register) settle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loose = false
}

// adopt keeps a copy of a content in memory.
func (r *register) adopt(d ledger.Digest, content []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.adopted == nil {
		r.adopted = map[ledger.Digest][]byte{}
	}
	r.adopted[d] = bytes.Clone(content)
}

// adoptedContent is a content that was adopted.
func (r *register) adoptedContent(d ledger.Digest) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	content, ok := r.adopted[d]
	return content, ok
}

// A keptTree is a snapshot that was read or written.
type keptTree struct {
	snap   record.Snapshot
	tree   *ledger.Tree // with its times; the next scan shares most of it
	read   bool         // from manifests: nothing is known of it but its entries
	depth  uint64       // see manifest
	weight uint64
	full   uint64
}

// recent holds the last few trees: the next snapshot builds on one. It is safe
// for concurrent use.
type recent struct {
	mu    sync.Mutex
	trees []keptTree // newest at the end
}

// find returns the tree that a manifest describes.
func (r *recent) find(manifest ledger.Digest) (keptTree, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.trees {
		if k.snap.Manifest == manifest {
			return k, true
		}
	}
	return keptTree{}, false
}

// add keeps a tree in place of what it had for that manifest, and lets go of the
// oldest: a run goes back and forth between few.
func (r *recent) add(k keptTree, few int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trees = slices.DeleteFunc(r.trees, func(was keptTree) bool { return was.snap.Manifest == k.snap.Manifest })
	if r.trees = append(r.trees, k); len(r.trees) > few {
		r.trees = append([]keptTree(nil), r.trees[1:]...)
	}
}
