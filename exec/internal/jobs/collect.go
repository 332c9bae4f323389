package jobs

import (
	"bytes"
	"io"
	"maps"
	"math"
	"slices"
	"sync"
)

// Bounds of what is kept of one attempt. What is more is only counted.
const (
	MaxRuns      = 100
	MaxArtifacts = 1000
	MaxMetrics   = 1000
	MaxBytes     = 256 << 10 // of all names together
)

// Telemetry is what the programs of an attempt said about it.
type Telemetry struct {
	Runs      []string           // in the order in which they were named, each once
	Artifacts []string           // likewise
	Metrics   map[string]float64 // the last value of each
	Dropped   int                // lines that were too many, or that nobody could read
}

// Empty reports whether nothing was said.
func (t Telemetry) Empty() bool {
	return len(t.Runs) == 0 && len(t.Artifacts) == 0 && len(t.Metrics) == 0 && t.Dropped == 0
}

// A Collector collects telemetry. The zero value is ready. It is safe for
// concurrent use.
type Collector struct {
	mu    sync.Mutex
	said  Telemetry
	known map[string]bool // "r" or "a" and a name
	bytes int
}

// Telemetry is what was collected so far. It is the caller's own.
func (c *Collector) Telemetry() Telemetry {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.said
	t.Runs, t.Artifacts, t.Metrics = slices.Clone(t.Runs), slices.Clone(t.Artifacts), maps.Clone(t.Metrics)
	return t
}

// Add takes in what an executor says in so many words, within the same bounds.
func (c *Collector) Add(t Telemetry) {
	for _, id := range t.Runs {
		c.take(run(id))
	}
	for _, path := range t.Artifacts {
		c.take(artifact(path))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Metrics)) {
		switch v := t.Metrics[name]; {
		case name == "" || len(name) > MaxName || !plain(name) || math.IsNaN(v) || math.IsInf(v, 0):
			c.take(Said{Kind: Invalid})
		default:
			c.take(Said{Metric, name, v})
		}
	}
}

// take keeps what a line says.
func (c *Collector) take(s Said) {
	if s.Kind == Text {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s.Kind {
	case Run:
		c.list(&c.said.Runs, "r", s.Name, MaxRuns)
	case Artifact:
		c.list(&c.said.Artifacts, "a", s.Name, MaxArtifacts)
	case Metric:
		if _, known := c.said.Metrics[s.Name]; !known && !c.room(len(c.said.Metrics), MaxMetrics, s.Name) {
			return
		}
		if c.said.Metrics == nil {
			c.said.Metrics = map[string]float64{}
		}
		c.said.Metrics[s.Name] = s.Value
	case Invalid:
		c.said.Dropped++
	}
}

// list notes a name once, as long as there is room.
func (c *Collector) list(to *[]string, kind, name string, limit int) {
	if c.known[kind+name] || !c.room(len(*to), limit, name) {
		return
	}
	if c.known == nil {
		c.known = map[string]bool{}
	}
	c.known[kind+name] = true
	*to = append(*to, name)
}

// room makes room for a name, or counts it as dropped.
func (c *Collector) room(have, limit int, name string) bool {
	if have >= limit || c.bytes+len(name) > MaxBytes {
		c.said.Dropped++
		return false
	}
	c.bytes += len(name)
	return true
}

// Stream takes one program's standard output. Each stream has lines of its own;
// several may be written at a time. Close ends the last line; a stream that is
// not closed loses a line without an end. Neither Write nor Close ever fails.
func (c *Collector) Stream() io.WriteCloser { return &stream{to: c} }

// A stream finds the lines in what is written. Of a line that is too long the
// rest is passed over.
type stream struct {
	mu   sync.Mutex
	to   *Collector
	line []byte
	long bool
}

// Write takes any part of the output; lines may be cut anywhere. It never
// fails: what is collected must not disturb the program.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			s.add(rest)
			break
		}
		s.add(rest[:end])
		s.finish()
		rest = rest[end+1:]
	}
	return len(p), nil
}

// Close ends the last line, which may have no newline.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
	return nil
}

// add is more of the present line; one that grows too long is not kept.
func (s *stream) add(part []byte) {
	if s.long = s.long || len(s.line)+len(part) > MaxLine; !s.long {
		s.line = append(s.line, part...)
	}
}

// finish is the end of the present line.
func (s *stream) finish() {
	if !s.long && len(s.line) > 0 {
		s.to.take(Parse(string(s.line)))
	}
	s.line, s.long = s.line[:0], false
}
