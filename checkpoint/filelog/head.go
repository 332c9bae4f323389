package filelog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/internal/disk"
)

// Beside a log lies its head: how far it once reached. It is written over in
// one piece after every batch that is durable, and not synced before Close, so
// it may be older than the log, and is never newer. docs/journal-and-store.md
// specifies it.
const (
	headExt     = ".head"
	headMagic   = "planlock/head" // then a zero byte and the version
	headVersion = 1
	headPrefix  = len(headMagic) + 3
	headSize    = headPrefix + 8 + 8 + 4 + 4
)

// A logEnd is where a log ends, or once did. It is zero where that is not
// known.
type logEnd struct {
	offset  int64  // behind the last frame
	records uint64 // before it
	sum     uint32 // of the payload of the last frame; 0 if there is none
}

// encode returns the content of a head, all of which fits into one sector.
func (e logEnd) encode() []byte {
	b := append(append(make([]byte, 0, headSize), headMagic...), 0)
	b = binary.BigEndian.AppendUint16(b, headVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(e.offset))
	b = binary.BigEndian.AppendUint64(b, e.records)
	return format.Seal(binary.BigEndian.AppendUint32(b, e.sum))
}

// decodeHead reads what encode wrote. A head that does not verify says nothing:
// it must not keep anybody from a log that is good.
func decodeHead(b []byte) (logEnd, error) {
	if _, ok := format.Sealed(b); !ok || len(b) != headSize || string(b[:headPrefix-2]) != headMagic+"\x00" {
		return logEnd{}, nil
	}
	if v := binary.BigEndian.Uint16(b[headPrefix-2:]); v != headVersion {
		return logEnd{}, format.Later(uint32(v))
	}
	e := logEnd{
		offset:  int64(binary.BigEndian.Uint64(b[headPrefix:])),
		records: binary.BigEndian.Uint64(b[headPrefix+8:]),
		sum:     binary.BigEndian.Uint32(b[headPrefix+16:]),
	}
	if e.offset < int64(logHeader) {
		return logEnd{}, nil
	}
	return e, nil
}

// readHead reads the head of the log at path. It must be read before the log: a
// writer may be at work.
func readHead(root *disk.Root, path string) (logEnd, error) {
	f, err := openHead(root, path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return logEnd{}, nil
	}
	if err != nil {
		return logEnd{}, err
	}
	defer f.Close() // only read
	b, err := io.ReadAll(io.LimitReader(f, int64(headSize)))
	if err == nil {
		var e logEnd
		if e, err = decodeHead(b); err == nil {
			return e, nil
		}
	}
	return logEnd{}, fmt.Errorf("checkpoint: head of log %q: %w", path, err)
}

// openHead opens the head of the log at path.
func openHead(root *disk.Root, path string, flags int) (*disk.File, error) {
	f, err := root.OpenFile(path+headExt, flags|file.NoWait, 0o644)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: head of log: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("checkpoint: head of log %q is not a regular file, remove it", path), err,
			f.Close())
	}
	return f, nil
}

// createHead makes an empty head for the log at path, if there is none.
func createHead(root *disk.Root, path string) error {
	f, err := openHead(root, path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	return f.Close()
}

// cutError says that the log at path ends at end and once reached further, as
// the file called witness knows.
func cutError(path string, end, known logEnd, witness string) error {
	return &record.CorruptError{Name: path, Seq: end.records + 1,
		Why: fmt.Sprintf("it was cut off: it held %d records. If an older copy was put back on purpose, remove %q",
			known.records, witness)}
}
