package process

// A Tail keeps a bounded part of what is written to it: a little of the
// beginning and most of the end, with a line between them that says how much
// was left out. It is safe for concurrent use, and never fails.
type Tail struct{ kept *capture }

// NewTail makes one that keeps at most limit bytes.
func NewTail(limit int64) *Tail { return &Tail{kept: newCapture(limit)} }

// Write keeps what fits.
func (t *Tail) Write(p []byte) (int, error) { return t.kept.Write(p) }

// String is what was kept.
func (t *Tail) String() string { return t.kept.String() }
