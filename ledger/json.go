package ledger

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// The JSON forms of this package are read back exactly as they were written. A
// name that is not UTF-8, which JSON cannot hold, stands in base64 in a field
// of its own: path_base64 instead of path, and so on.

// entryJSON is an Entry; a field that says nothing about the kind is left out.
type entryJSON struct {
	Path      *string    `json:"path,omitempty"`
	PathRaw   []byte     `json:"path_base64,omitempty"`
	Kind      Kind       `json:"kind"`
	Mode      *string    `json:"mode,omitempty"` // octal, four digits
	Size      *int64     `json:"size,omitempty"`
	Digest    Digest     `json:"digest,omitempty"`
	Target    *string    `json:"target,omitempty"`
	TargetRaw []byte     `json:"target_base64,omitempty"`
	ModTime   *time.Time `json:"mtime,omitempty"`
}

// MarshalJSON writes an object with path, kind, mode (octal, not for links),
// size and digest (for files), target (for links, and "fifo" for a FIFO), and
// mtime where ModTime is not zero.
func (e Entry) MarshalJSON() ([]byte, error) { return json.Marshal(e.json()) }

// json is an entry as it is written. Path and target are bytes, and stand as
// such where they are no text.
func (e *Entry) json() *entryJSON {
	if e == nil {
		return nil
	}
	w := entryJSON{Kind: e.Kind, Digest: e.Digest}
	w.Path, w.PathRaw = textOut(e.Path)
	if e.Target != "" {
		w.Target, w.TargetRaw = textOut(e.Target)
	}
	if e.Kind != Link || e.Mode != 0 {
		mode := fmt.Sprintf("%04o", UnixMode(e.Mode))
		w.Mode = &mode
	}
	if e.Kind == File || e.Size != 0 {
		w.Size = &e.Size
	}
	if !e.ModTime.IsZero() {
		utc := e.ModTime.UTC()
		w.ModTime = &utc
	}
	return &w
}

// UnmarshalJSON reads what MarshalJSON writes. It does not check that the entry
// can be part of a tree.
func (e *Entry) UnmarshalJSON(data []byte) error {
	var w entryJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("ledger: entry: %w", err)
	}
	read, err := w.entry()
	if err != nil {
		return err
	}
	*e = *read
	return nil
}

// entry is what w says; nil if it says nothing.
func (w *entryJSON) entry() (*Entry, error) {
	if w == nil {
		return nil, nil
	}
	e := &Entry{Path: textIn(w.Path, w.PathRaw), Kind: w.Kind, Digest: w.Digest, Target: textIn(w.Target, w.TargetRaw)}
	if w.Mode != nil {
		bits, err := strconv.ParseUint(*w.Mode, 8, 12)
		if err != nil {
			return nil, fmt.Errorf("ledger: entry %q: mode %q is not octal with at most twelve bits", e.Path, *w.Mode)
		}
		e.Mode = FileMode(uint32(bits))
	}
	if w.Size != nil {
		e.Size = *w.Size
	}
	if w.ModTime != nil {
		e.ModTime = w.ModTime.UTC()
	}
	return e, nil
}

// changeJSON is a Change; kind is what stands at the path now, or stood there.
// The entries are no Entry, because package json looks over what spells itself
// once for each level that it lies in.
type changeJSON struct {
	Path    *string    `json:"path,omitempty"`
	PathRaw []byte     `json:"path_base64,omitempty"`
	Op      Op         `json:"change"`
	Kind    Kind       `json:"kind"`
	Before  *entryJSON `json:"before,omitempty"`
	After   *entryJSON `json:"after,omitempty"`
}

// MarshalJSON writes an object with path, change, kind, before and after.
func (c Change) MarshalJSON() ([]byte, error) {
	w := changeJSON{Op: c.Op, Kind: c.Kind(), Before: c.Before.json(), After: c.After.json()}
	w.Path, w.PathRaw = textOut(c.Path)
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Change) UnmarshalJSON(data []byte) error {
	var w changeJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("ledger: change: %w", err)
	}
	before, err := w.Before.entry()
	if err != nil {
		return err
	}
	after, err := w.After.entry()
	if err != nil {
		return err
	}
	*c = Change{Path: textIn(w.Path, w.PathRaw), Op: w.Op, Before: before, After: after}
	return nil
}

// expectationJSON is an [Expectation] as it is written.
type expectationJSON struct {
	Op      Op      `json:"change"`
	Path    *string `json:"path,omitempty"`
	PathRaw []byte  `json:"path_base64,omitempty"`
	Symbol  *string `json:"symbol,omitempty"`
	NameRaw []byte  `json:"symbol_base64,omitempty"`
}

// MarshalJSON writes an object with change and either path or symbol.
func (e Expectation) MarshalJSON() ([]byte, error) {
	w := expectationJSON{Op: e.Op}
	if e.Path != "" {
		w.Path, w.PathRaw = textOut(e.Path)
	}
	if e.Symbol != "" {
		w.Symbol, w.NameRaw = textOut(e.Symbol)
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Expectation) UnmarshalJSON(data []byte) error {
	var w expectationJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("ledger: expectation: %w", err)
	}
	*e = Expectation{Op: w.Op, Path: textIn(w.Path, w.PathRaw), Symbol: textIn(w.Symbol, w.NameRaw)}
	return nil
}

// symbolJSON is a [Symbol] as it is written.
type symbolJSON struct {
	Name    *string `json:"symbol,omitempty"`
	NameRaw []byte  `json:"symbol_base64,omitempty"`
	Op      Op      `json:"change"`
	Path    *string `json:"path,omitempty"`
	PathRaw []byte  `json:"path_base64,omitempty"`
	Line    int     `json:"line"`
	Public  bool    `json:"public,omitempty"`
}

// MarshalJSON writes an object with symbol, change, path, line and, where it is,
// that it is public.
func (s Symbol) MarshalJSON() ([]byte, error) {
	w := symbolJSON{Op: s.Op, Line: s.Line, Public: s.Public}
	w.Name, w.NameRaw = textOut(s.Name)
	w.Path, w.PathRaw = textOut(s.Path)
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Symbol) UnmarshalJSON(data []byte) error {
	var w symbolJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("ledger: symbol: %w", err)
	}
	*s = Symbol{Name: textIn(w.Name, w.NameRaw), Op: w.Op, Path: textIn(w.Path, w.PathRaw), Line: w.Line,
		Public: w.Public}
	return nil
}

// textOut is text for one of two fields: as it is, or raw.
func textOut(text string) (*string, []byte) {
	if utf8.ValidString(text) {
		return &text, nil
	}
	return nil, []byte(text)
}

func textIn(text *string, raw []byte) string {
	if text != nil {
		return *text
	}
	return string(raw)
}
