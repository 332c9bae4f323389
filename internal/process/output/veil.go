package output

import "io"

// A Veil passes on text without the secrets of an environment, however it comes
// in pieces: for whoever puts text together that a command wrote apart. It is
// not safe for concurrent use.
type Veil struct{ veil veil }

// Veil makes one of the secrets, before a writer.
func (s Secrets) Veil(to io.Writer) *Veil { return &Veil{veil{secrets: s.all, to: to}} }

// Write passes on p, but for an end of it that a secret may begin with.
func (v *Veil) Write(p []byte) (int, error) { return v.veil.Write(p) }

// Flush passes on what was held back: nothing follows it.
func (v *Veil) Flush() error { return v.veil.flush() }
