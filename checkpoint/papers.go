package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// MemoryPapers is Papers in memory: for tests and for runs that need no
// tomorrow. The zero value is ready. It is safe for concurrent use.
type MemoryPapers struct {
	mu   sync.Mutex
	kept map[string]paper
}

type paper struct {
	text []byte
	at   time.Time
}

// Put keeps text; see Papers.
func (m *MemoryPapers) Put(ctx context.Context, name string, text []byte) error {
	return m.put(ctx, name, text, false)
}

// PutNew keeps text where nothing is kept; see Papers.
func (m *MemoryPapers) PutNew(ctx context.Context, name string, text []byte) error {
	return m.put(ctx, name, text, true)
}

func (m *MemoryPapers) put(ctx context.Context, name string, text []byte, once bool) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: put paper: %w", context.Cause(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.kept[name]; there && once {
		return fmt.Errorf("checkpoint: paper %q: %w", name, fs.ErrExist)
	}
	if m.kept == nil {
		m.kept = map[string]paper{}
	}
	m.kept[name] = paper{bytes.Clone(text), time.Now()}
	return nil
}

// Get returns what is kept; see Papers.
func (m *MemoryPapers) Get(ctx context.Context, name string) ([]byte, time.Time, error) {
	if err := ctx.Err(); err != nil {
		return nil, time.Time{}, fmt.Errorf("checkpoint: get paper: %w", context.Cause(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, there := m.kept[name]
	if !there {
		return nil, time.Time{}, fmt.Errorf("%w: paper %q", ErrNotFound, name)
	}
	return bytes.Clone(p.text), p.at, nil
}

// Names are the names that begin with prefix; see Papers.
func (m *MemoryPapers) Names(ctx context.Context, prefix string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("checkpoint: list papers: %w", context.Cause(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	names := slices.Sorted(maps.Keys(m.kept))
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) }), nil
}

// Remove removes what is kept; see Papers.
func (m *MemoryPapers) Remove(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: remove paper: %w", context.Cause(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.kept, name)
	return nil
}
