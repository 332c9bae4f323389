package review

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
)

// maxCited is the size up to which the lines of a cited file are counted.
const maxCited = 64 << 20

// all looks at citations and counts those that are there. Each of the others is
// a finding.
func (w *witness) all(ctx context.Context, citations []string) (there int, err error) {
	for _, text := range citations {
		file, line, why := split(text)
		if why == "" {
			lines, err := w.count(ctx, file)
			switch {
			case err != nil:
				return there, err
			case lines < 0:
				why = "there is no such file"
			case line > lines:
				why = fmt.Sprintf("lines of the file: %d", lines)
			}
		}
		if why != "" {
			w.pass.Report(gate.Finding{Code: codeCitation, Message: fmt.Sprintf("%q is cited: %s", text, why),
				Expected: "file:line of the tree"})
			continue
		}
		there++
		w.pass.Cite(gate.Citation{Path: file, Line: line})
	}
	return there, nil
}

// split reads "file:line". A column or an end of a range behind it is left out.
func split(text string) (file string, line int, why string) {
	file, rest, found := strings.Cut(strings.TrimSpace(text), ":")
	if file == "" || !found {
		return "", 0, "it names no file and line"
	}
	number, _, _ := strings.Cut(rest, ":")
	number, _, _ = strings.Cut(number, "-")
	line, err := strconv.Atoi(strings.TrimPrefix(number, "L"))
	if err != nil || line < 1 {
		return "", 0, "it names no line"
	}
	clean := path.Clean(file)
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", 0, "it leads out of the workspace"
	}
	return clean, line, ""
}

// count is the number of lines of a file of the tree; -1 if it has no such
// file.
func (w *witness) count(ctx context.Context, file string) (int, error) {
	if n, known := w.lines[file]; known {
		return n, nil
	}
	n, err := w.read(ctx, file)
	if err != nil {
		return 0, err
	}
	if w.lines == nil {
		w.lines = map[string]int{}
	}
	w.lines[file] = n
	return n, nil
}

// read counts the lines of a file as it is after the step, so that a citation
// can be held against it; -1 where there is no such file.
func (w *witness) read(ctx context.Context, file string) (int, error) {
	if w.pass.After == nil {
		return -1, nil
	}
	entry, ok := w.pass.After.Lookup(file)
	if !ok || entry.Kind != ledger.File {
		return -1, nil
	}
	if w.pass.Content == nil {
		return 0, errors.New("review: the pass shows no contents")
	}
	r, err := w.pass.Content(ctx, entry)
	if err != nil {
		return 0, fmt.Errorf("review: %s: %w", file, err)
	}
	defer r.Close() // only read
	lines, last, buf := 0, byte('\n'), make([]byte, 64<<10)
	for in := io.LimitReader(r, maxCited); ; {
		n, err := in.Read(buf)
		lines += bytes.Count(buf[:n], []byte("\n"))
		if n > 0 {
			last = buf[n-1]
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("review: %s: %w", file, err)
		}
	}
	if last != '\n' {
		lines++
	}
	return lines, nil
}
