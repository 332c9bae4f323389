package folder

import (
	"sync"

	"github.com/planlock/planlock/internal/disk"
)

// packFiles keeps a few packs open that are read. It is safe for concurrent
// use.
type packFiles struct {
	mu   sync.Mutex
	kept map[string]*disk.File // by name
}

// fewPacks bounds the files that a store keeps open. Reading a pack beyond that
// opens it for the one content.
const fewPacks = 16 // that are kept open

// open opens a pack for reading. release, if it is not nil, is called when that
// is over.
func (p *packFiles) open(root *disk.Root, name, path string) (f *disk.File, release func() error, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.kept[name]; ok {
		return f, nil, nil
	}
	f, err = root.Open(path)
	if err != nil {
		return nil, nil, err
	}
	// The first that were read stay open: a run reads from few packs.
	if len(p.kept) >= fewPacks {
		return f, f.Close, nil
	}
	if p.kept == nil {
		p.kept = map[string]*disk.File{}
	}
	p.kept[name] = f
	return f, nil, nil
}

// forget keeps none of them any longer. Who reads one goes on with it.
func (p *packFiles) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = nil
}

// close closes the packs.
func (p *packFiles) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.kept {
		_ = f.Close() // only read
	}
	p.kept = nil
}
