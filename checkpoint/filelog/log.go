package filelog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/internal/disk"
)

// errReadOnly is returned by Append, Write and Sync on a log that was opened
// for reading.
var errReadOnly = errors.New("checkpoint: opened for reading only")

// A Log is a checkpoint.LogWriter in one file. A batch costs one write and,
// unless it is only written, one sync. After the first write or sync that fails
// it is dead: every later Append returns that error, which is
// checkpoint.ErrDead too.
//
// The file grows by blocks of zeros ahead of the records, so that a batch
// overwrites what is there already, and a full disk still has room for the
// records that say so. Close takes the zeros away.
//
// Before each sync it looks whether its file is still the one at its path, and
// as long as it should be; if not, it is dead too (checkpoint.ErrReplaced). How
// far it reached is kept in a second file beside it, path with ".head" behind
// it: opening a log that is shorter, or another, is a *record.CorruptError.
type Log struct {
	path string
	root *disk.Root // where path leads from

	mu       sync.Mutex
	f        logFile
	locked   *os.File // the same, while it is locked
	place    file.Stay
	end      logEnd
	loose    []byte     // the last frame, where it was written and not synced
	head     *disk.File // nil: it is only read
	headAt   file.Stay
	outside  *witnessFile // nil: nobody keeps it
	size     int64        // of the file; zeros from end on
	bufs     [2][]byte    // for frames: loose may be in one, the next is made in the other
	turn     int          // which that is
	dead     error
	closed   bool
	readOnly bool
}

// logFile is what a Log needs of a file. Sync makes the contents durable and
// what is needed to read them; Hasten has the disk begin with a part of them.
type logFile interface {
	io.ReaderAt
	io.WriterAt
	Hasten(offset, size int64)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// lingers bounds the wait for the lock of a writer that is gone: a child that it
// was just starting has the file open until it begins with its own program.
const lingers = 100 * time.Millisecond

func lock(f *os.File) (held bool, err error) {
	for limit := time.Now().Add(lingers); ; time.Sleep(2 * time.Millisecond) {
		if held, err = file.Lock(f); !held || err != nil || time.Now().After(limit) {
			return held, err
		}
	}
}

// openForWriting locks the log, verifies it, mends what a crash left at its
// end, and opens its head. The lock comes first: a writer at work would look
// like damage.
func (l *Log) openForWriting(f *disk.File, known ends) error {
	if held, err := lock(f.OS()); err != nil {
		return fmt.Errorf("checkpoint: lock log: %w", err)
	} else if held {
		return &checkpoint.HeldError{Dir: l.path, Holder: "another writer of this log"}
	}
	l.locked = f.OS()
	if err := l.locate(f, known); err != nil {
		return err
	}
	if err := l.cutTorn(f); err != nil {
		return err
	}
	if err := l.secure(f, known.head); err != nil {
		return err
	}
	var err error
	if l.place, err = file.StayOf(f.OS(), l.path); err != nil {
		return fmt.Errorf("checkpoint: open log: %w", err)
	}
	if l.head, err = openHead(l.root, l.path, os.O_RDWR|os.O_CREATE); err != nil {
		return err
	}
	if l.headAt, err = file.StayOf(l.head.OS(), l.path+headExt); err != nil {
		return errors.Join(fmt.Errorf("checkpoint: open log: %w", err), l.head.Close())
	}
	return nil
}

// cutTorn cuts off what a crash left of a last batch.
func (l *Log) cutTorn(f *disk.File) error {
	end, err := trimZeros(f, l.size)
	if err != nil {
		return fmt.Errorf("checkpoint: read log: %w", err)
	}
	if end <= l.end.offset {
		return nil
	}
	if err := l.f.Truncate(l.end.offset); err != nil {
		return fmt.Errorf("checkpoint: cut torn batch off log: %w", err)
	}
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("checkpoint: cut torn batch off log: %w", err)
	}
	l.size = l.end.offset
	return nil
}

// locate verifies the file and finds its end. It must not end before known.
func (l *Log) locate(f *disk.File, known ends) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("checkpoint: read log: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("checkpoint: log %q is not a regular file", l.path)
	}
	l.size = info.Size()
	if err = readLogHeader(io.NewSectionReader(f, 0, l.size), l.path); err != nil {
		return err
	}
	l.end, err = readFrames(context.Background(), f, l.path, l.size, known, nil)
	if err != nil {
		return err
	}
	return known.notBefore(l.path, l.end)
}

// secure makes durable what an earlier writer may have left otherwise: the
// batches behind acknowledged, which is where its head says that it was synced.
// If that writer died because its sync failed, the system may hold these bytes
// for synced, and another sync would not save them; so they are written again.
// The same goes for the name of a log of which nothing was acknowledged.
func (l *Log) secure(f *disk.File, acknowledged logEnd) error {
	if acknowledged.records == 0 {
		if err := l.root.SyncFolder(filepath.Dir(l.path)); err != nil {
			return fmt.Errorf("checkpoint: open log: %w", err)
		}
	}
	from := max(acknowledged.offset, 0)
	if from >= l.end.offset {
		return nil
	}
	buf := make([]byte, min(l.end.offset-from, 1<<20))
	for from < l.end.offset {
		part := buf[:min(l.end.offset-from, int64(len(buf)))]
		if _, err := io.ReadFull(io.NewSectionReader(f, from, int64(len(part))), part); err != nil {
			return fmt.Errorf("checkpoint: read log: %w", err)
		}
		if _, err := f.WriteAt(part, from); err != nil {
			return fmt.Errorf("checkpoint: write log again: %w", err)
		}
		from += int64(len(part))
	}
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("checkpoint: write log again: %w", err)
	}
	return nil
}

// Append adds batch durably, and makes durable what was written before; see
// Log.
func (l *Log) Append(ctx context.Context, batch [][]byte) error {
	return l.add(ctx, batch, true)
}

// Write adds batch without a sync; see checkpoint.LogWriter.
func (l *Log) Write(ctx context.Context, batch [][]byte) error {
	return l.add(ctx, batch, false)
}

// add writes a batch as one frame behind the last one, and syncs it if durable
// is said. A frame that follows one that was not synced says so, so that a gap
// which a power cut leaves is told from damage.
func (l *Log) add(ctx context.Context, batch [][]byte, durable bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refuses(ctx, "append"); err != nil || len(batch) == 0 {
		return err
	}
	if err := l.place.Uncut(l.size); err != nil { // else what was cut off would be made up for
		return l.die("append to", err)
	}
	var marks uint32
	if l.loose != nil {
		marks |= frameBehind
	}
	if !durable {
		marks |= frameLoose
	}
	frame, err := appendFrame(l.bufs[l.turn][:0], l.end.offset, marks, batch)
	if err != nil {
		return err
	}
	if l.bufs[l.turn] = frame[:0]; cap(frame) > 1<<20 {
		l.bufs[l.turn] = nil
	}
	if err := l.reserve(int64(len(frame))); err != nil {
		return err
	}
	if _, err := l.f.WriteAt(frame, l.end.offset); err != nil {
		return l.die("write", err)
	}
	end := logEnd{
		offset:  l.end.offset + int64(len(frame)),
		records: l.end.records + uint64(len(batch)),
		sum:     binary.BigEndian.Uint32(frame[20:]),
	}
	if !durable {
		// frame is wanted once it is synced, and must not be written over until
		// then
		l.end, l.loose, l.turn = end, frame, 1-l.turn
		return nil
	}
	l.f.Hasten(l.end.offset, int64(len(frame)))
	return l.settle(end, frame)
}

// settle syncs the log, which ends at end with frame then. All that can be done
// before, while the disk works, is.
func (l *Log) settle(end logEnd, frame []byte) error {
	if err := l.stays(); err != nil {
		return l.die("sync", err)
	}
	head := end.encode()
	l.outside.say(end, frame)
	if err := l.f.Sync(); err != nil {
		return l.die("sync", err)
	}
	// An old head only says less, so it is no error if this fails.
	_, _ = l.head.WriteAt(head, 0)
	l.outside.write()
	l.end, l.loose = end, nil
	return nil
}

// Hasten has the disk begin with what was written last; see
// checkpoint.LogWriter.
func (l *Log) Hasten() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := int64(len(l.loose)); n > 0 && !l.closed && l.dead == nil {
		l.f.Hasten(l.end.offset-n, n)
	}
}

// Sync makes durable what was written; see checkpoint.LogWriter.
func (l *Log) Sync(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refuses(ctx, "sync"); err != nil || l.loose == nil {
		return err
	}
	return l.settle(l.end, l.loose)
}

// refuses is why nothing can be done any more, or not for ctx.
func (l *Log) refuses(ctx context.Context, what string) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("checkpoint: %s: %w", what, context.Cause(ctx))
	case l.closed:
		return fmt.Errorf("checkpoint: %s: %w", what, checkpoint.ErrClosed)
	case l.readOnly:
		return fmt.Errorf("checkpoint: %s: %w", what, errReadOnly)
	}
	return l.dead
}

// stays reports whether the files of the log were taken away meanwhile.
func (l *Log) stays() error {
	if err := l.place.Check(l.size); err != nil {
		return err
	}
	return l.headAt.Check(0)
}

// die makes every later use fail with err. What a failed write or sync left is
// not known, and a second sync may report success without having written
// anything.
func (l *Log) die(verb string, err error) error {
	l.dead = fmt.Errorf("%w: %s log %q: %w", checkpoint.ErrDead, verb, l.path, err)
	return l.dead
}

// How far ahead of its records a file grows.
const (
	logSlack = 16 << 10 // zeros kept behind the last record, for a full disk
	logBlock = 64 << 10 // the least by which a log grows
)

// zeros is never written.
var zeros [logBlock]byte

// reserve makes room for n bytes. A disk that is full while the batch still
// fits is no error, and one that is full leaves the log as it was.
func (l *Log) reserve(n int64) error {
	free := l.size - l.end.offset
	if free >= n+logSlack {
		return nil
	}
	if err := l.stays(); err != nil { // else what was cut off would be made up for
		return l.die("append to", err)
	}
	grow := max(min(l.size, 1<<20), n+logSlack-free)
	grow += logBlock - (l.size+grow)%logBlock
	for done := int64(0); done < grow; {
		k, err := l.f.WriteAt(zeros[:min(grow-done, logBlock)], l.size+done)
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
func (l *Log) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		l.mu.Lock()
		end, closed := l.end.offset, l.closed
		l.mu.Unlock()
		if closed {
			yield(nil, fmt.Errorf("checkpoint: replay: %w", checkpoint.ErrClosed))
			return
		}
		at, err := readFrames(ctx, l.f, l.path, end, ends{}, yield)
		if err == nil && at.offset < end {
			err = &record.CorruptError{Name: l.path, Seq: at.records + 1, Why: "it was cut off while it was open"}
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// Rest is how many bytes follow the last batch: what a crash left of one, or
// what somebody added. Zeros that were reserved are none.
func (l *Log) Rest() (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	end, err := trimZeros(l.f, l.size)
	if err != nil {
		return 0, fmt.Errorf("checkpoint: read log: %w", err)
	}
	return max(end-l.end.offset, 0), nil
}

// Close releases the files. Of the log nothing is unsynced; its head is synced.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if l.readOnly {
		return l.f.Close()
	}
	var errs []error
	if l.dead == nil {
		err := l.stays() // a file that was cut must not be filled up with zeros
		if err == nil && l.loose != nil {
			err = l.f.Sync()
		}
		if err == nil && l.size > l.end.offset {
			err = l.f.Truncate(l.end.offset)
		}
		errs = append(errs, err, l.head.SyncData())
	}
	l.outside.close()
	return errors.Join(append(errs, l.head.Close(), l.unlock(), l.f.Close())...)
}

// unlock gives the lock back, also where a child that is just being started
// still has the file open.
func (l *Log) unlock() error {
	if l.locked == nil {
		return nil
	}
	return file.Unlock(l.locked)
}
