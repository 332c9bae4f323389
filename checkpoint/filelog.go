package checkpoint

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
)

// A FileLog is a Log in one file. A batch costs one write and one sync. After
// the first write or sync that fails it is dead: every later Append returns
// that error, which is ErrDead too.
//
// The file grows by blocks of zeros ahead of the records, so that a batch
// overwrites what is there already, and a full disk still has room for the
// records that say so. Close takes the zeros away.
type FileLog struct {
	path string

	mu       sync.Mutex
	f        logFile
	end      int64 // behind the last frame
	size     int64 // of the file; zeros from end on
	buf      []byte
	dead     error
	closed   bool
	readOnly bool
}

// logFile is what a FileLog needs of a file. Sync makes the contents durable
// and what is needed to read them.
type logFile interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// OpenFileLog opens the log at path for appending, or makes it with the
// folders it lies in. What a crash left of a last batch is cut off; anything
// else that does not verify is a *CorruptError, and the file is left as it is.
// A log has one writer: a second one gets *HeldError.
func OpenFileLog(path string) (*FileLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = createLog(path)
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: open log: %w", err)
	}
	l := &FileLog{path: path, f: dataFile{f}}
	if err := l.openForWriting(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// ReadFileLog opens the log at path for reading, also while another process
// appends to it. It yields what is complete now, and changes nothing.
func ReadFileLog(path string) (*FileLog, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: open log: %w", err)
	}
	l := &FileLog{path: path, f: dataFile{f}, readOnly: true}
	if err := l.locate(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

func (l *FileLog) openForWriting(f *os.File) error {
	if held, err := lockFile(f); err != nil {
		return fmt.Errorf("checkpoint: lock log: %w", err)
	} else if held {
		return &HeldError{Dir: l.path, Holder: "another writer of this log"}
	}
	if err := l.locate(f); err != nil {
		return err
	}
	end, err := trimZeros(f, l.size)
	if err != nil {
		return fmt.Errorf("checkpoint: read log: %w", err)
	}
	if end <= l.end {
		return nil
	}
	if err := l.f.Truncate(l.end); err != nil {
		return fmt.Errorf("checkpoint: cut torn batch off log: %w", err)
	}
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("checkpoint: cut torn batch off log: %w", err)
	}
	l.size = l.end
	return nil
}

// locate verifies the file and finds its end.
func (l *FileLog) locate(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("checkpoint: read log: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("checkpoint: log %q is not a regular file", l.path)
	}
	l.size = info.Size()
	l.end, err = readFrames(context.Background(), f, l.path, l.size, nil)
	return err
}

// Append adds batch durably; see Log.
func (l *FileLog) Append(ctx context.Context, batch [][]byte) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: append: %w", context.Cause(ctx))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return fmt.Errorf("checkpoint: append: %w", ErrClosed)
	case l.readOnly:
		return fmt.Errorf("checkpoint: append: %w", ErrReadOnly)
	case l.dead != nil:
		return l.dead
	case len(batch) == 0:
		return nil
	}
	frame, err := appendFrame(l.buf[:0], l.end, batch)
	if err != nil {
		return err
	}
	if l.buf = frame[:0]; cap(frame) > 1<<20 {
		l.buf = nil
	}
	if err := l.reserve(int64(len(frame))); err != nil {
		return err
	}
	if _, err := l.f.WriteAt(frame, l.end); err != nil {
		return l.die("write", err)
	}
	if err := l.f.Sync(); err != nil {
		return l.die("sync", err)
	}
	l.end += int64(len(frame))
	return nil
}

func (l *FileLog) die(verb string, err error) error {
	l.dead = fmt.Errorf("%w: %s log %q: %w", ErrDead, verb, l.path, err)
	return l.dead
}

const (
	logSlack = 16 << 10 // zeros kept behind the last record, for a full disk
	logBlock = 64 << 10 // the least by which a log grows
)

// reserve makes room for n bytes. A disk that is full while the batch still
// fits is no error, and one that is full leaves the log as it was.
func (l *FileLog) reserve(n int64) error {
	free := l.size - l.end
	if free >= n+logSlack {
		return nil
	}
	grow := max(min(l.size, 1<<20), n+logSlack-free)
	grow += logBlock - (l.size+grow)%logBlock
	zeros := make([]byte, min(grow, 1<<20))
	for done := int64(0); done < grow; {
		k, err := l.f.WriteAt(zeros[:min(grow-done, int64(len(zeros)))], l.size+done)
		done += int64(k)
		if err == nil {
			continue
		}
		if terr := l.f.Truncate(l.size); terr != nil {
			return l.die("truncate", errors.Join(err, terr))
		}
		if free >= n {
			return nil
		}
		return fmt.Errorf("checkpoint: append: log %q needs %d bytes more, free some space: %w", l.path, n-free, err)
	}
	l.size += grow
	return nil
}

// Replay yields the records that were appended before it began; see Log.
func (l *FileLog) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		l.mu.Lock()
		end, closed := l.end, l.closed
		l.mu.Unlock()
		if closed {
			yield(nil, fmt.Errorf("checkpoint: replay: %w", ErrClosed))
			return
		}
		_, err := readFrames(ctx, l.f, l.path, end, yield)
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// Close releases the file. It does not sync: nothing is unsynced.
func (l *FileLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	var cut error
	if !l.readOnly && l.dead == nil && l.size > l.end {
		cut = l.f.Truncate(l.end)
	}
	return errors.Join(cut, l.f.Close())
}

var errStop = errors.New("checkpoint: stopped by the caller")

// readFrames verifies the frames of a log of size bytes, and yields their
// records if yield is not nil. It returns where the last complete frame ends.
func readFrames(ctx context.Context, r io.ReaderAt, path string, size int64, yield func([]byte, error) bool) (int64, error) {
	end, err := trimZeros(r, size)
	if err != nil {
		return 0, fmt.Errorf("checkpoint: read log: %w", err)
	}
	in := bufio.NewReaderSize(io.NewSectionReader(r, 0, end), int(max(4<<10, min(end, 256<<10))))
	if err := readLogHeader(in, path); err != nil {
		return 0, err
	}
	var (
		offset  = int64(logHeader)
		records uint64
		payload []byte
	)
	for offset < end {
		if err := ctx.Err(); err != nil {
			return offset, fmt.Errorf("checkpoint: replay: %w", context.Cause(ctx))
		}
		var h frameHead
		payload, h, err = readFrame(in, payload, offset)
		if err != nil {
			return offset, fmt.Errorf("checkpoint: read log: %w", err)
		}
		if payload == nil {
			cut, err := torn(r, offset, end)
			if err != nil {
				return offset, fmt.Errorf("checkpoint: read log: %w", err)
			}
			if !cut {
				return offset, &CorruptError{Name: path, Seq: records + 1, Why: fmt.Sprintf("the batch at byte %d does not verify", offset)}
			}
			return offset, nil
		}
		records += uint64(h.records)
		offset += h.size()
		for rest := payload; yield != nil && len(rest) > 0; {
			var record []byte
			record, rest, _ = nextRecord(rest)
			if !yield(record, nil) {
				return offset, errStop
			}
		}
	}
	return offset, nil
}

// readFrame reads one frame into buf. payload is nil if it does not verify.
func readFrame(in *bufio.Reader, buf []byte, offset int64) (payload []byte, h frameHead, err error) {
	head, err := in.Peek(frameHeader)
	if err != nil {
		return nil, h, atEnd(err)
	}
	h, ok := parseFrameHead(head, offset)
	if !ok {
		return nil, h, nil
	}
	if _, err := in.Discard(frameHeader); err != nil {
		return nil, h, err
	}
	if buf, err = readUpTo(in, buf[:0], h.payload+int64(len(frameTrailer))); err != nil {
		return nil, h, atEnd(err)
	}
	payload, trailer := buf[:h.payload], buf[h.payload:]
	if string(trailer) != frameTrailer || crc32.Checksum(payload, castagnoli) != h.sum || !splits(payload, h.records) {
		return nil, h, nil
	}
	return payload, h, nil
}

// readUpTo reads n bytes into buf, growing it only as bytes arrive.
func readUpTo(in io.Reader, buf []byte, n int64) ([]byte, error) {
	if int64(cap(buf)) >= n {
		_, err := io.ReadFull(in, buf[:n])
		return buf[:n], err
	}
	b := bytes.NewBuffer(make([]byte, 0, min(n, 1<<20)))
	if _, err := io.CopyN(b, in, n); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// atEnd turns the end of input, which is judged by its place, into no error.
func atEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

func readLogHeader(in io.Reader, path string) error {
	head := make([]byte, logHeader)
	n, err := io.ReadFull(in, head)
	if atEnd(err) != nil {
		return fmt.Errorf("checkpoint: read log: %w", err)
	}
	if n < logHeader || string(head[:len(logMagic)]) != logMagic {
		return &CorruptError{Name: path, Seq: 1, Why: "the file does not begin as a log"}
	}
	if v := binary.BigEndian.Uint32(head[len(logMagic):]); v != logVersion {
		return fmt.Errorf("checkpoint: log %q: version %d: %w", path, v, ErrVersion)
	}
	return nil
}

// createLog makes a file that holds nothing but the header, all at once.
func createLog(path string) (*os.File, error) {
	dir := filepath.Dir(path)
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return nil, err
	}
	head := binary.BigEndian.AppendUint32([]byte(logMagic), logVersion)
	_, err = f.Write(head)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		err = syncFolder(dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), removeIfThere(f.Name()))
	}
	return f, nil
}
