package source

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/planlock/planlock/ledger"
)

const (
	// sniffed is how many bytes of a content say whether it is text.
	sniffed = 8 << 10
	// maxCompared is the size, in bytes, of the largest content that is
	// compared line by line.
	maxCompared = 32 << 20
)

// isBinary reports whether a content is no text: there is a zero byte in its
// first 8 KiB.
func isBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), sniffed)], 0) >= 0
}

// countChanges counts the lines that each change added and removed, as
// [Compare] has them.
//
// perPath has an entry, possibly zero, for every path that holds or held a file
// whose content changed. An error means that a content could not be had.
func countChanges(ctx context.Context, changes []ledger.Change,
	before, after ledger.Content) (total ledger.LineCount, perPath map[string]ledger.LineCount, err error) {
	perPath = make(map[string]ledger.LineCount)
	for _, c := range changes {
		if !c.ChangesContent() {
			continue
		}
		n, err := countChange(ctx, c, before, after)
		if err != nil {
			return ledger.LineCount{}, nil, err
		}
		perPath[c.Path] = n
		total.Added += n.Added
		total.Removed += n.Removed
	}
	return total, perPath, nil
}

// countChange counts the lines of one change.
func countChange(ctx context.Context, c ledger.Change, before, after ledger.Content) (n ledger.LineCount, err error) {
	if size(c.Before) > maxCompared || size(c.After) > maxCompared {
		if n.Removed, err = countAll(ctx, before, c.Before); err != nil {
			return n, err
		}
		n.Added, err = countAll(ctx, after, c.After)
		return n, err
	}
	a, err := before.Read(ctx, c.Before)
	if err != nil {
		return n, err
	}
	b, err := after.Read(ctx, c.After)
	if err != nil {
		return n, err
	}
	return countLines(a, b), nil
}

func size(e *ledger.Entry) int64 {
	if e == nil {
		return 0
	}
	return e.Size
}

// countLines counts the lines that were added and removed between two contents.
// A side that is binary has no lines.
func countLines(before, after []byte) ledger.LineCount {
	if isBinary(before) {
		before = nil
	}
	if isBinary(after) {
		after = nil
	}
	s := compare(splitLines(before), splitLines(after))
	var n ledger.LineCount
	for _, removed := range s.removed {
		if removed {
			n.Removed++
		}
	}
	for _, added := range s.added {
		if added {
			n.Added++
		}
	}
	return n
}

// countAll counts the lines of a content of any size without holding it.
func countAll(ctx context.Context, open ledger.Content, e *ledger.Entry) (int, error) {
	if e == nil || e.Kind != ledger.File || e.Size == 0 {
		return 0, nil
	}
	r, err := open(ctx, *e)
	if err != nil {
		return 0, fmt.Errorf("source: cannot open %q: %w", e.Path, err)
	}
	defer r.Close()
	var (
		buf   = make([]byte, 64<<10)
		lines int
		seen  int64
		last  = byte('\n')
	)
	for {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		n, err := r.Read(buf)
		if head := min(int64(n), sniffed-seen); head > 0 && isBinary(buf[:head]) {
			return 0, nil
		}
		if n > 0 {
			lines += bytes.Count(buf[:n], []byte{'\n'})
			seen += int64(n)
			last = buf[n-1]
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("source: cannot read %q: %w", e.Path, err)
		}
	}
	if last != '\n' {
		lines++
	}
	return lines, nil
}
