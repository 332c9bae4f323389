package filelog

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/internal/disk"
)

// A Witness is a folder outside of all workspaces in which a log says how far
// it reached, and what its last batch was. So who can write a workspace alone,
// and cuts or rewrites a log there together with its head, is found out on this
// machine. Each log has a file there, named after the hash of its path; a log
// that was moved or copied elsewhere begins without one.
//
// It is one more witness and never a reason to stop: a folder that is missing,
// full or cannot be written, and a file in it that does not verify, say
// nothing. The zero value keeps nothing anywhere.
type Witness struct {
	Dir string // made where it is missing; empty: none
}

// UserWitness is the folder for this on the user's machine: PLANLOCK_STATE, if
// that is set ("off" for none); else planlock in XDG_STATE_HOME or in
// ~/.local/state, on macOS in ~/Library/Application Support, on Windows in
// %LocalAppData%. It is the zero Witness where nothing of that is known.
func UserWitness() Witness {
	switch dir := os.Getenv("PLANLOCK_STATE"); {
	case dir == "off":
		return Witness{}
	case filepath.IsAbs(dir):
		return Witness{Dir: dir}
	}
	var dir string
	switch runtime.GOOS {
	case "windows":
		dir = os.Getenv("LocalAppData")
	case "darwin", "ios":
		dir = filepath.Join(os.Getenv("HOME"), "Library", "Application Support")
	default:
		if dir = os.Getenv("XDG_STATE_HOME"); !filepath.IsAbs(dir) {
			dir = filepath.Join(os.Getenv("HOME"), ".local", "state")
		}
	}
	if !filepath.IsAbs(dir) {
		return Witness{}
	}
	return Witness{Dir: filepath.Join(dir, "planlock")}
}

// Outside is w, or the zero Witness where w lies in the folder dir: whoever can
// write the workspace could write a witness in it, and what it keeps would be
// changes that nobody declared.
func (w Witness) Outside(dir string) Witness {
	if w.Dir == "" {
		return w
	}
	// A name in each, so that a link in the last place is followed too.
	around, here := filepath.Dir(realPath(filepath.Join(dir, "heads"))), filepath.Dir(realPath(filepath.Join(w.Dir, "heads")))
	if in, err := filepath.Rel(around, here); err == nil && filepath.IsLocal(in) {
		return Witness{}
	}
	return w
}

// File is where w keeps what it knows of the log at path; empty if nowhere. It
// is a head that is removed when an older copy of the log is put back on
// purpose.
func (w Witness) File(path string) string {
	if w.Dir == "" {
		return ""
	}
	name := sha256.Sum256([]byte(realPath(path)))
	return filepath.Join(w.Dir, "heads", hex.EncodeToString(name[:16])+headExt)
}

// realPath is the same for all ways to a file, which need not be there.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for dir, rest := filepath.Dir(abs), filepath.Base(abs); ; dir, rest = filepath.Dir(dir),
		filepath.Join(filepath.Base(dir), rest) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return abs
		}
	}
}

// ends are the places that a log once reached, as its head beside it and its
// witness outside know; zero where they know nothing.
type ends struct {
	head    logEnd
	witness logEnd     // its sum is not used
	hash    format.Sum // SHA-256 of the payload of the last frame before witness
	file    string     // of the witness
}

// known reads both heads, which must be done before the log is read: a writer
// may be at work.
func (w Witness) known(root *disk.Root, path string) (ends, error) {
	head, err := readHead(root, path)
	if err != nil {
		return ends{}, err
	}
	known := ends{head: head, file: w.File(path)}
	if known.file != "" {
		known.readWitness(root)
	}
	return known, nil
}

// notBefore makes sure that the log at path does not end too early.
func (k *ends) notBefore(path string, end logEnd) error {
	switch {
	case end.offset < k.head.offset && (end.offset > 0 || k.head.records > 0):
		return cutError(path, end, k.head, path+headExt)
	case end.offset < k.witness.offset && (end.offset > 0 || k.witness.records > 0):
		return cutError(path, end, k.witness, k.file)
	}
	return nil
}

// allow reports whether the frame from at to next, which holds payload, may be
// what was there when the log ended there.
func (k *ends) allow(at, next logEnd, payload []byte) bool {
	if at.offset < k.head.offset && k.head.offset <= next.offset && next != k.head {
		return false
	}
	if at.offset >= k.witness.offset || k.witness.offset > next.offset {
		return true
	}
	return next.offset == k.witness.offset && next.records == k.witness.records && sha256.Sum256(payload) == k.hash
}

// The file of a witness; docs/journal-and-store.md specifies it.
const (
	witnessMagic   = "planlock/witness" // then the version
	witnessVersion = 1
	witnessSize    = len(witnessMagic) + 2 + 8 + 8 + sha256.Size + 4
)

// appendWitness adds what a witness says of a log that ends at end with
// payload.
func appendWitness(b []byte, end logEnd, hash format.Sum) []byte {
	start := len(b)
	b = binary.BigEndian.AppendUint16(append(b, witnessMagic...), witnessVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(end.offset))
	b = binary.BigEndian.AppendUint64(b, end.records)
	b = append(b, hash[:]...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b[start:], format.Castagnoli()))
}

// readWitness takes what the file of a witness says, if it verifies.
func (k *ends) readWitness(root *disk.Root) {
	f, err := root.OpenFile(k.file, os.O_RDONLY|file.NoWait, 0)
	if err != nil {
		return
	}
	defer f.Close() // only read
	b := make([]byte, witnessSize)
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	if _, err := io.ReadFull(f, b); err != nil {
		return
	}
	rest, ok := bytes.CutPrefix(b, binary.BigEndian.AppendUint16([]byte(witnessMagic), witnessVersion))
	if _, sealed := format.Sealed(b); !ok || !sealed {
		return
	}
	k.witness = logEnd{offset: int64(binary.BigEndian.Uint64(rest)), records: binary.BigEndian.Uint64(rest[8:])}
	k.hash = format.Sum(rest[16:])
}

// A witnessFile is the file of a log in a Witness. A nil one keeps nothing.
type witnessFile struct {
	f    *disk.File
	buf  []byte
	path string
}

// openFile opens the file of the log at path, which is named in it for people.
func (w Witness) openFile(root *disk.Root, path string) *witnessFile {
	if w.Dir == "" {
		return nil
	}
	name := w.File(path)
	if root.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return nil
	}
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|file.NoWait, 0o600)
	if err != nil {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = errors.Join(err, f.Close()) // it is no witness then
		return nil
	}
	return &witnessFile{f: f, path: realPath(path)}
}

// say makes ready to write that the log ends at end, with frame.
func (w *witnessFile) say(end logEnd, frame []byte) {
	if w == nil {
		return
	}
	payload := frame[frameHeader : len(frame)-len(frameTrailer)]
	w.buf = appendWitness(w.buf[:0], end, sha256.Sum256(payload))
	w.buf = append(append(append(w.buf, '\n'), w.path...), '\n')
}

// write writes what is ready, over what was said before in one piece. A witness
// that is old only says less, so errors do not count.
func (w *witnessFile) write() {
	if w != nil {
		_, _ = w.f.WriteAt(w.buf, 0)
	}
}

// close syncs what was said last. A witness that cannot be written says less,
// and keeps nobody from his log.
func (w *witnessFile) close() {
	if w != nil {
		_ = errors.Join(w.f.SyncData(), w.f.Close())
	}
}
