package learn

import (
	"fmt"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// Memory is what was promoted at one point in time. It is a value: promotions
// and revocations that come later do not reach it.
type Memory struct {
	Version    int     // of the book
	Remedies   []Entry // semantic and confirmed, in the order of the book
	Procedures []Entry // procedural
	// Ready are the jobs of procedures that reviewers approved, for the reviewers of
	// the next run. Those that are withheld say why.
	Ready []history.ReadyJob
}

// Memory is what may be used now.
func (b *Book) Memory() Memory {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := Memory{Version: b.version}
	for _, e := range b.entries {
		switch {
		case e.State != Active:
		case e.Kind == Procedural:
			m.Procedures = append(m.Procedures, *e)
			if r := b.readyJob(e); r != nil {
				m.Ready = append(m.Ready, *r)
			}
		default:
			m.Remedies = append(m.Remedies, *e)
		}
	}
	return m
}

// Digest names the memory, for an envelope: a run that used one memory does not
// go on under another.
func (m Memory) Digest() ledger.Digest {
	text := fmt.Sprintf("planlock.memory/1 %d\n", m.Version)
	for _, list := range [][]Entry{m.Remedies, m.Procedures} {
		for _, e := range list {
			text += e.ID + "\n"
		}
	}
	return ledger.Sum([]byte(text))
}

// Remembered is the memory as the built-in advisor reads it: what worked, by root
// cause, each with its confidence.
func (m Memory) Remembered() map[string][]history.Approach {
	all := map[string][]history.Approach{}
	for _, e := range m.Remedies {
		all[e.Pattern] = append(all[e.Pattern], history.Approach{Description: e.Remedy,
			Confidence: e.confidence()})
	}
	return all
}

// Hints are what the memory tells whoever carries out steps: each cause with what
// worked against it, and in steps of which kind, in the order of the book; then
// what worked at once. For
// whoever plans the next run there is [Memory.Recommend].
func (m Memory) Hints() []string {
	var all []string
	for _, e := range m.Remedies {
		all = append(all, fmt.Sprintf("against %s this helped: %s", e.About(), e.Remedy))
	}
	for _, e := range m.Procedures {
		all = append(all, fmt.Sprintf("this worked at once in a step that %s: %s", e.About(), e.Remedy))
	}
	return all
}
