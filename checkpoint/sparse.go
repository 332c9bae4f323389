package checkpoint

import "io"

// A sparseWriter writes to a file that ends where it begins, and leaves blocks
// of zeros out: they become holes where the file system has them.
type sparseWriter struct {
	f interface {
		io.WriterAt
		Truncate(size int64) error
	}
	offset int64
	hole   bool // the last block was left out
}

const sparseBlock = 4 << 10 // what file systems manage

var noBytes [sparseBlock]byte // never written to

func (w *sparseWriter) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		full := w.run(b[done:], false)
		if full > 0 {
			n, err := w.f.WriteAt(b[done:done+full], w.offset)
			w.offset += int64(n)
			done += n
			w.hole = false
			if err != nil {
				return done, err
			}
		}
		if empty := w.run(b[done:], true); empty > 0 {
			w.offset += int64(empty)
			done += empty
			w.hole = true
		}
	}
	return done, nil
}

// run is how many bytes at the beginning of b are whole blocks of zeros, or
// none.
func (w *sparseWriter) run(b []byte, zeros bool) int {
	n := 0
	for n < len(b) {
		block := b[n:min(len(b), n+sparseBlock)]
		if (len(block) == sparseBlock && string(block) == string(noBytes[:])) != zeros {
			break
		}
		n += len(block)
	}
	return n
}

// finish makes the file as long as what was written.
func (w *sparseWriter) finish() error {
	if !w.hole {
		return nil
	}
	return w.f.Truncate(w.offset)
}
