// Package notes keeps notes in memory.
package notes

import (
	"slices"
	"sync"
)

// Store holds notes by name. It is safe for concurrent use.
type Store struct {
	mu    sync.RWMutex
	notes map[string]string
}

// NewStore makes an empty store.
func NewStore() *Store { return &Store{notes: map[string]string{}} }

// Get finds a note.
func (s *Store) Get(name string) (text string, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	text, ok = s.notes[name]
	return text, ok
}

// Put keeps a note, instead of an earlier one of that name.
func (s *Store) Put(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes[name] = text
}

// Names lists all notes, sorted; never nil.
func (s *Store) Names() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := make([]string, 0, len(s.notes))
	for name := range s.notes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
