package filelog

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/checkpoint/record"
)

// errStop ends the reading where the consumer of records wants no more.
var errStop = errors.New("checkpoint: stopped by the caller")

// readFrames verifies the frames of a log of size bytes, and yields their
// records if yield is not nil. It returns where the last complete frame ends. A
// log that reaches known must be the one that did so before.
func readFrames(ctx context.Context, r io.ReaderAt, path string, size int64, known ends,
	yield func([]byte, error) bool) (logEnd, error) {
	at := logEnd{offset: int64(logHeader)}
	end, err := trimZeros(r, size)
	if err != nil {
		return at, fmt.Errorf("checkpoint: read log: %w", err)
	}
	in := bufio.NewReaderSize(io.NewSectionReader(r, 0, end), int(max(4<<10, min(end, 256<<10))))
	if err := readLogHeader(in, path); err != nil {
		return at, err
	}
	var payload []byte
	for at.offset < end {
		if err := ctx.Err(); err != nil {
			return at, fmt.Errorf("checkpoint: replay: %w", context.Cause(ctx))
		}
		var h frameHead
		payload, h, err = readFrame(in, payload, at.offset)
		if err != nil {
			return at, fmt.Errorf("checkpoint: read log: %w", err)
		}
		// It does not verify. Either a crash tore it, or somebody changed it;
		// the two are told apart by what else is there.
		if payload == nil {
			cut, err := torn(r, at.offset, end)
			if err != nil {
				return at, fmt.Errorf("checkpoint: read log: %w", err)
			}
			if !cut {
				return at, &record.CorruptError{Name: path, Seq: at.records + 1, Why: fmt.Sprintf("the batch at byte %d does not verify", at.offset)}
			}
			return at, nil
		}
		next := logEnd{at.offset + h.size(), at.records + uint64(h.records), h.sum}
		if !known.allow(at, next, payload) {
			return at, &record.CorruptError{Name: path, Seq: at.records + 1, Why: "it was written anew from here on: this is not the batch that was there before"}
		}
		at = next
		for rest := payload; yield != nil && len(rest) > 0; {
			var record []byte
			record, rest, _ = nextRecord(rest)
			if !yield(record, nil) {
				return at, errStop
			}
		}
	}
	return at, nil
}

// readFrame reads one frame into buf. payload is nil if it does not verify.
func readFrame(in *bufio.Reader, buf []byte, offset int64) (payload []byte, h frameHead, err error) {
	head, err := in.Peek(frameHeader)
	if err != nil {
		return nil, h, format.AtEnd(err)
	}
	h, ok := parseFrameHead(head, offset)
	if !ok {
		return nil, h, nil
	}
	if _, err := in.Discard(frameHeader); err != nil {
		return nil, h, err
	}
	if buf, err = format.ReadUpTo(in, buf[:0], h.payload+int64(len(frameTrailer))); err != nil {
		return nil, h, format.AtEnd(err)
	}
	payload, trailer := buf[:h.payload], buf[h.payload:]
	if string(trailer) != frameTrailer || crc32.Checksum(payload, format.Castagnoli()) != h.sum ||
		!splits(payload, h.records) {
		return nil, h, nil
	}
	return payload, h, nil
}

// readLogHeader checks that in begins as a log of this version.
func readLogHeader(in io.Reader, path string) error {
	head := make([]byte, logHeader)
	n, err := io.ReadFull(in, head)
	if format.AtEnd(err) != nil {
		return fmt.Errorf("checkpoint: read log: %w", err)
	}
	version := binary.BigEndian.Uint32(head[len(logMagic):])
	if n < logHeader || string(head[:len(logMagic)]) != logMagic {
		// One bit away from an old log is a damaged new one, but for its version.
		if bytes.HasPrefix(head, []byte(format.OldMagic+"log")) && version != logVersion {
			return fmt.Errorf("checkpoint: log %q: %w", path, format.Old())
		}
		return &record.CorruptError{Name: path, Seq: 1, Why: "the file does not begin as a log"}
	}
	if version != logVersion {
		// The frames of another version do not verify here.
		frame := make([]byte, frameHeader)
		_, err := io.ReadFull(in, frame)
		if _, ours := parseFrameHead(frame, int64(logHeader)); err == nil && ours {
			return &record.CorruptError{Name: path, Seq: 1, Why: "the beginning of the file is damaged"}
		}
		return fmt.Errorf("checkpoint: log %q: %w", path, format.Later(version))
	}
	return nil
}
