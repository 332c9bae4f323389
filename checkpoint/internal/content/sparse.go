package content

import "io"

// Sparse writes to a file that ends where it begins, and leaves blocks of zeros
// out: they become holes where the file system has them.
type Sparse struct {
	F interface {
		io.WriterAt
		Truncate(size int64) error
	}
	Offset int64 // where the next byte goes
	hole   bool  // the last block was left out
}

var noBytes [Block]byte // never written to

// Write implements io.Writer.
func (w *Sparse) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		full := w.run(b[done:], false)
		if full > 0 {
			n, err := w.F.WriteAt(b[done:done+full], w.Offset)
			w.Offset += int64(n)
			done += n
			w.hole = false
			if err != nil {
				return done, err
			}
		}
		if empty := w.run(b[done:], true); empty > 0 {
			w.Offset += int64(empty)
			done += empty
			w.hole = true
		}
	}
	return done, nil
}

// run is how many bytes at the beginning of b are whole blocks of zeros, or
// none.
func (w *Sparse) run(b []byte, zeros bool) int {
	n := 0
	for n < len(b) {
		block := b[n:min(len(b), n+Block)]
		if (len(block) == Block && string(block) == string(noBytes[:])) != zeros {
			break
		}
		n += len(block)
	}
	return n
}

// Finish makes the file as long as what was written.
func (w *Sparse) Finish() error {
	if !w.hole {
		return nil
	}
	return w.F.Truncate(w.Offset)
}
