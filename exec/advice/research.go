package advice

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/planlock/planlock/exec/internal/cause"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
)

// Bounds of what one research reads.
const (
	researchFiles    = 5
	researchBytes    = 256 << 10 // of each file
	researchFindings = 10
	researchSearched = 2000     // files looked into for the words, at most
	researchBegin    = 64 << 10 // of each of those
	researchLooked   = 16 << 20 // of all of those
)

// research reports what the workspace has to say about a case, and where it has
// nothing, about what the executor said of the failure.
func research(ctx context.Context, c Case) (Advice, error) {
	asked := queries(c)
	a, err := lookFor(ctx, c, asked)
	if !errors.Is(err, ErrNothing) {
		return a, err
	}
	var said []string
	for _, reason := range c.Failure.Reasons {
		if m := reported.FindStringSubmatch(cause.Clean(reason)); m != nil {
			said = append(said, m[1])
		}
	}
	if len(said) == 0 {
		return a, err
	}
	more, err := lookFor(ctx, c, slices.Concat(said, asked))
	more.Cost.Calls += a.Cost.Calls
	return more, err
}

// reported is what an executor said of a failure, in the reason for it: what else
// stands there is said of every failure.
var reported = lazyre.New(`^(?:program: .* reported a failure|shell: exit status \d+): (.+)`)

// lookFor reports what the workspace has to say about what is asked.
func lookFor(ctx context.Context, c Case, asked []string) (Advice, error) {
	words := wordsOf(asked)
	if len(words) == 0 || c.Open == nil {
		return Advice{}, fmt.Errorf("%w: there is nothing to look for, or nowhere to look", ErrNothing)
	}
	a := Advice{Advisor: "researcher", Queries: asked}
	found := map[string]bool{}
	names, err := related(ctx, c, words)
	if err != nil {
		return Advice{}, err
	}
	for _, name := range names {
		if err := context.Cause(ctx); err != nil {
			return Advice{}, err
		}
		lines, err := search(c.Open, name, words, found)
		a.Cost.Calls++
		if err != nil {
			continue // it cannot be read, so it is no source
		}
		a.Sources = append(a.Sources, name)
		a.Findings = append(a.Findings, lines...)
	}
	a.Findings = a.Findings[:min(len(a.Findings), researchFindings)]
	none := "no file that was looked at has anything about it"
	for _, earlier := range c.Earlier {
		isNew := func(f string) bool { return !slices.Contains(earlier.Findings, f) }
		if len(a.Findings) > 0 && !slices.ContainsFunc(a.Findings, isNew) {
			a.Findings, none = nil, "all that is found was found before"
		}
	}
	if len(a.Findings) == 0 {
		return Advice{Advisor: a.Advisor, Queries: asked, Sources: a.Sources, Cost: a.Cost},
			fmt.Errorf("%w: %s", ErrNothing, none)
	}
	a.Confidence = float64(len(found)) / float64(len(words))
	a.Note = fmt.Sprintf("%d of %d words found in %d %s", len(found), len(words), len(a.Sources),
		plural(len(a.Sources), "file"))
	a.Patch = &Patch{Summary: "tell the executor what was found", Feedback: a.Findings}
	return a, nil
}

// queries are what research asks about a case: what its step or task says, and
// what failed, each once.
func queries(c Case) []string {
	var all []string
	add := func(text string) {
		text = cause.Clean(text)
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if c.Task != nil {
		add(c.Task.Title)
		add(c.Task.Description)
	}
	if c.Step != nil {
		add(c.Step.Description)
	}
	for _, s := range cause.Mine(cause.Signals(c.Failure, c.Attempts)) {
		add(s.Signals[0].Text)
	}
	for _, criterion := range c.Criteria {
		add(criterion)
	}
	if len(wordsOf(all)) == 0 { // of the failure, what is known alone is asked for, but where that is all there is
		for _, reason := range c.Failure.Reasons {
			add(reason)
		}
	}
	return all[:min(len(all), researchFiles)]
}

// wordsOf are the words that carry meaning: names, and words of four letters or
// more that are not everywhere.
func wordsOf(queries []string) []string {
	everywhere := []string{"with", "that", "this", "from", "into", "must", "should", "when", "have", "line", "error", "file", "step", "task", "make", "does",
		"shell", "exit", "status", "program", "process", "failed", "failure", "reported", "cannot", "command", "output", "postcondition", "postconditions", "holds"}
	var words []string
	for _, q := range queries {
		for _, w := range strings.FieldsFunc(strings.ToLower(q),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
			if len(w) >= 4 && !slices.Contains(everywhere, w) && !slices.Contains(words, w) &&
				strings.ContainsFunc(w, unicode.IsLetter) {
				words = append(words, w)
			}
		}
	}
	return words
}

// related are the files to read: those that the task names as sources, or that
// lie in a folder that it names, those that the step declares, those that the
// failure names, then those whose names have most of the words, and whose
// content has most of those that few files have.
func related(ctx context.Context, c Case, words []string) ([]string, error) {
	var names []string
	add := func(paths ...string) {
		for _, p := range paths {
			if len(names) < researchFiles && slices.Contains(c.Files, p) && !slices.Contains(names, p) {
				names = append(names, p)
			}
		}
	}
	if c.Task != nil {
		for _, source := range c.Task.ResearchSources {
			source = path.Clean(strings.Trim(source, "` "))
			add(source)
			for _, name := range c.Files {
				if strings.HasPrefix(name, source+"/") {
					add(name)
				}
			}
		}
	}
	if c.Step != nil {
		add(declared(c.Step)...)
	}
	add(blamed(c)...)
	if len(names) == researchFiles {
		return names, nil
	}
	within, err := ratings(ctx, c, words)
	if err != nil {
		return nil, err
	}
	type rated struct {
		name   string
		rating float64
	}
	var all []rated
	for _, name := range c.Files {
		lower := strings.ToLower(name)
		n := within[name]
		for _, w := range words {
			if strings.Contains(lower, w) {
				n += 2
			}
		}
		if base := path.Base(lower); strings.HasPrefix(base, "readme") || strings.HasPrefix(base, "contributing") {
			n++
		}
		if n > 0 {
			all = append(all, rated{name, n})
		}
	}
	slices.SortStableFunc(all, func(a, b rated) int { return cmp.Compare(b.rating, a.rating) })
	for _, r := range all {
		add(r.name)
	}
	return names, nil
}

// blamed are the files that a failure names by their paths, or by the end of an
// absolute one.
func blamed(c Case) []string {
	var names []string
	files := map[string]bool{}
	for _, name := range c.Files {
		files[name] = true
	}
	for _, signal := range cause.Signals(c.Failure, c.Attempts) {
		for _, word := range strings.FieldsFunc(signal.Text, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune("\\\"'`()[]<>:,;=", r)
		}) {
			word = strings.TrimPrefix(strings.TrimRight(word, "."), "./")
			below := strings.HasPrefix(word, "/")
			for word != "" {
				if files[word] {
					names = append(names, word)
				}
				if !below {
					break
				}
				_, word, _ = strings.Cut(word, "/")
			}
		}
	}
	return names
}

// ratings rate the content of the first files: each word that a file has counts
// the more, the fewer of them have it.
func ratings(ctx context.Context, c Case, words []string) (map[string]float64, error) {
	has, files, looked := map[string][]string{}, map[string]int{}, 0
	for _, name := range c.Files[:min(len(c.Files), researchSearched)] {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if looked >= researchLooked {
			break
		}
		own, read := wordsIn(c.Open, name, words)
		looked += read
		for _, w := range own {
			has[name] = append(has[name], w)
			files[w]++
		}
	}
	all := map[string]float64{}
	for name, own := range has { // in any order: each sum is of one name
		for _, w := range own {
			all[name] += 1 / float64(files[w])
		}
	}
	return all, nil
}

// wordsIn are the words that the beginning of a text has, and how many bytes
// that is; none of what is no text, or cannot be read.
func wordsIn(open func(string) (io.ReadCloser, error), name string, words []string) (has []string, read int) {
	f, err := open(name)
	if err != nil {
		return nil, 0
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, researchBegin))
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return nil, len(text)
	}
	lower := strings.ToLower(string(text))
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.Contains(lower, w) }), len(text)
}

func declared(s *plan.Step) []string {
	if s.Artifacts == nil {
		return nil
	}
	return slices.Concat(s.Artifacts.Modify, s.Artifacts.Create)
}

// search returns the lines of a file that have most of the words, with their
// places.
func search(open func(string) (io.ReadCloser, error), name string, words []string, found map[string]bool) ([]string,
	error) {
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, researchBytes))
	lines.Buffer(make([]byte, 0, 4096), researchBytes+1)
	var all []string
	for n := 1; lines.Scan(); n++ {
		text := strings.ToLower(lines.Text())
		if strings.ContainsRune(text, 0) {
			return nil, nil // not a text
		}
		hits := 0
		for _, w := range words {
			if strings.Contains(text, w) {
				found[w] = true
				hits++
			}
		}
		if hits > 0 && len(all) < 3 {
			all = append(all, fmt.Sprintf("%s:%d: %s", name, n, cause.Clean(lines.Text())))
		}
	}
	return all, lines.Err()
}
