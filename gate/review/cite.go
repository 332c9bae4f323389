package review

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/lazyre"
)

// A witness looks whether what is cited is there, and what it shows.
type witness struct {
	pass    *gate.Pass
	subject *subject
	files   map[string]*file // that were looked at
	cited   int              // citations that are there
	said    map[string]bool  // what was said of criteria that are not met
}

// all looks at what is cited for a criterion, and returns what is there. Each
// of the others is a finding.
func (w *witness) all(ctx context.Context, criterion string, citations []string) ([]gate.Citation, error) {
	var there []gate.Citation
	for _, text := range citations {
		place, why := placeOf(text)
		if why == "" {
			f, err := w.file(ctx, place.path)
			if err != nil {
				return nil, err
			}
			why = f.lacks(place)
		}
		if why != "" {
			w.pass.Report(gate.Finding{Code: codeCitation, Message: fmt.Sprintf("%q is cited: %s", clip(text), why),
				Expected: "file:line of the tree, and behind it what stands there"})
			continue
		}
		c := gate.Citation{Path: place.path, Line: place.from, Text: place.quote}
		switch {
		case w.files[place.path].changed(place):
			c.Shows = gate.ShowsChange
		case w.subject.names(place.path, criterion):
			c.Shows = gate.ShowsNamed
		}
		w.cited++
		w.pass.Cite(c)
		there = append(there, c)
	}
	return there, nil
}

// file is what the tree holds at a path.
func (w *witness) file(ctx context.Context, path string) (*file, error) {
	if f := w.files[path]; f != nil {
		return f, nil
	}
	f, err := w.subject.open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("review: %s: %w", path, err)
	}
	if w.files == nil {
		w.files = map[string]*file{}
	}
	w.files[path] = f
	return f, nil
}

// A place is where a citation points: lines of a file, or with from 0 a path.
type place struct {
	path     string
	from, to int
	quote    string // what is said to stand there; "" if nothing is said of it
}

// cited is "file:line", and behind it the end of a range, a column, and after
// another colon a quote.
var cited = lazyre.New(`(?s)^(.+?):L?(\d+)(?:-L?(\d+))?(?::\d+(?:-\d+)?)?(?::\s*(.*))?$`)

// placeOf reads a citation.
func placeOf(text string) (p place, why string) {
	text = strings.TrimSpace(text)
	p.path = text
	if m := cited.FindStringSubmatch(text); m != nil {
		p.path, p.quote = m[1], strings.TrimSpace(m[4])
		var err error
		if p.from, err = strconv.Atoi(m[2]); err != nil || p.from < 1 {
			return p, "it names no line"
		}
		p.to = p.from
		if m[3] != "" {
			if p.to, err = strconv.Atoi(m[3]); err != nil || p.to < p.from {
				return p, "its range of lines has no end"
			}
		}
	}
	if p.path == "" {
		return p, "it names no file and line"
	}
	p.path = path.Clean(p.path)
	if path.IsAbs(p.path) || p.path == ".." || strings.HasPrefix(p.path, "../") {
		return p, "it leads out of the workspace"
	}
	return p, ""
}
