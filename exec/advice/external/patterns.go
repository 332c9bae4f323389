package external

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/jsontree"
	"github.com/planlock/planlock/ledger"
)

// maxPatterns is how many bytes a file of patterns may have.
const maxPatterns = 16 << 20

// Patterns are what plans can be made from, as a file knows them. They are an
// [advice.Advisor] for advice.Feasible: the built-in assessment, with the
// patterns of the file that are most like the one that the plan names.
type Patterns struct {
	known  []pattern
	digest ledger.Digest
}

// Advise assesses the plan of the case.
func (p *Patterns) Advise(ctx context.Context, c advice.Case) (advice.Advice, error) {
	return advice.Builtin{Similar: p.similar}.Advise(ctx, c)
}

// A pattern is an entry of a file of patterns.
type pattern struct {
	Name         string   `json:"name"`
	Reasoning    string   `json:"reasoning"`
	Technologies []string `json:"technologies"`
	Confidence   string   `json:"confidence"`
	Reference    string   `json:"reference"`
}

// ReadPatterns reads a file of patterns: a JSON list of objects with name,
// reasoning, technologies, confidence (HIGH, MEDIUM or LOW) and reference, of which
// name and technologies are needed, and names are unique. Errors name the file.
func ReadPatterns(path string) (*Patterns, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("external: patterns: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxPatterns {
		return nil, fmt.Errorf("external: patterns: %s is no file of at most %d MiB", path, maxPatterns>>20)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("external: patterns: %w", err)
	}
	p := &Patterns{digest: ledger.Sum(text)}
	if p.known, err = decodePatterns(text); err != nil {
		return nil, fmt.Errorf("external: patterns: %s: %w", path, err)
	}
	return p, nil
}

// decodePatterns reads the list.
func decodePatterns(text []byte) (known []pattern, err error) {
	root, err := jsontree.ParseStrict(string(text))
	if err != nil {
		return nil, err
	}
	if root.Kind() != jsontree.Array {
		return nil, errors.New("it is no list")
	}
	if err := root.Spelled([]string{"name", "reasoning", "technologies", "confidence", "reference"}); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, p := range known {
		switch {
		case p.Name == "" || len(p.Technologies) == 0:
			return nil, fmt.Errorf("pattern %d: it needs a name and technologies", i+1)
		case seen[p.Name]:
			return nil, fmt.Errorf("pattern %d: the name %q stands twice", i+1, p.Name)
		case !slices.Contains([]string{"", "HIGH", "MEDIUM", "LOW"}, p.Confidence):
			return nil, fmt.Errorf("pattern %d: the confidence is %q; write HIGH, MEDIUM or LOW", i+1, p.Confidence)
		}
		seen[p.Name] = true
	}
	return known, nil
}

// Version is the digest of the file: a run is bound to it.
func (p *Patterns) Version(context.Context) (string, error) { return p.digest.Short(), nil }

// similar finds the patterns that share most technologies with the named one,
// of all that one of the two has. Those that share none are not similar.
func (p *Patterns) similar(_ context.Context, name string, k int) ([]history.Approach, error) {
	at := slices.IndexFunc(p.known, func(x pattern) bool { return x.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("the file does not have %q", name)
	}
	var found []history.Approach
	for i, x := range p.known {
		share := alike(p.known[at].Technologies, x.Technologies)
		if i == at || share == 0 {
			continue
		}
		found = append(found, history.Approach{Name: x.Name, Description: describe(x), Confidence: share,
			Source: cmp.Or(x.Reference, "patterns")})
	}
	slices.SortStableFunc(found, func(a, b history.Approach) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return found[:min(len(found), k)], nil
}

// describe is a pattern in a line.
func describe(x pattern) string {
	text := x.Name
	if x.Confidence != "" {
		text += " (confidence " + x.Confidence + ")"
	}
	if x.Reasoning != "" {
		text += ": " + x.Reasoning
	}
	return text + "; technologies " + strings.Join(x.Technologies, ", ")
}

// alike is how much of what two lists name is in both, from 0 to 1.
func alike(a, b []string) float64 {
	in := map[string]int{}
	for i, list := range [][]string{a, b} {
		for _, word := range list {
			in[strings.ToLower(word)] |= 1 << i
		}
	}
	both := 0
	for _, bits := range in {
		if bits == 3 {
			both++
		}
	}
	return float64(both) / float64(len(in))
}
