package document_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

var update = flag.Bool("update", false, "write the golden files")

// asText has contents compared in one go, and their differences told in lines.
// As slices they are compared byte by byte, which took nine tenths of the time
// of these tests.
var asText = cmp.Transformer("text", func(content []byte) string { return string(content) })

func draw(t testing.TB, p *plan.Plan, r *history.Run) []drawnFile {
	t.Helper()
	files, err := all(p, r)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestGolden(t *testing.T) {
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			told := s.tell(t)
			dir := filepath.Join("testdata", s.name)
			if *update {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range draw(t, told.plan, told.fold()) {
				golden := filepath.Join(dir, f.Name)
				if *update {
					if err := os.WriteFile(golden, f.Content, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(f.Content)); diff != "" {
					t.Errorf("%s differs (-want +got), run with -update if that is meant:\n%s", golden, diff)
				}
			}
		})
	}
}

// A view must not depend on anything that moves while nothing happens.
func TestDrawnTwiceTheSame(t *testing.T) {
	for _, s := range stories {
		told := s.tell(t)
		if diff := cmp.Diff(draw(t, told.plan, told.fold()), draw(t, told.plan, told.fold()), asText); diff != "" {
			t.Errorf("%s: drawn twice it differs:\n%s", s.name, diff)
		}
	}
}

// The seal names the digests of the views: drawn after it they must be what
// they were.
func TestSealChangesNothing(t *testing.T) {
	sealed := 0
	for _, s := range stories {
		told := s.tell(t)
		run := told.fold()
		if run.Ended == nil {
			continue
		}
		sealed++
		before := draw(t, told.plan, run)
		digests := map[string]ledger.Digest{}
		for _, f := range before {
			digests[f.Name] = ledger.Sum(f.Content)
		}
		told.add(123456, "", 0, &history.Sealed{Views: digests})
		if diff := cmp.Diff(before, draw(t, told.plan, told.fold()), asText); diff != "" {
			t.Errorf("%s: the seal shows in the views:\n%s", s.name, diff)
		}
	}
	if sealed < 4 {
		t.Errorf("only %d stories ended", sealed)
	}
}

// A controller draws from records as it wrote them, verify from records as it
// reads them.
func TestReadingTheJournalBackChangesNothing(t *testing.T) {
	told := detours(t)
	begun := time.Now() // has a monotonic reading, and more digits than are shown
	for i := range told.records {
		told.records[i].Time = begun.Add(time.Duration(i) * 123456789)
	}
	written := draw(t, told.plan, told.fold())
	data, err := json.Marshal(told.records)
	if err != nil {
		t.Fatal(err)
	}
	told.records = nil
	if err := json.Unmarshal(data, &told.records); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(written, draw(t, told.plan, told.fold()), asText); diff != "" {
		t.Errorf("read back it differs:\n%s", diff)
	}
}

func TestEachIsOneOfAll(t *testing.T) {
	drawings := map[string]drawing{
		"progress_limiter.json": document.Progress, "SUMMARY.md": named("SUMMARY.md"), "report.txt": document.Text, "report.md": document.Markdown,
		"report.json": document.JSON, "report.html": html.Page().Draw, "summary.json": named("summary.json"), "notepad_limiter.md": named("notepad_NAME.md"),
		"execution_learnings_2026-11-20.md": named("execution_learnings_DATE.md"), "checkpoint.yaml": named("checkpoint.yaml"), "next-session.md": named("next-session.md"),
		"stuck-report.md": named("stuck-report.md"), "pending_actions.json": named("pending_actions.json"), "reflections.jsonl": named("reflections.jsonl"),
	}
	drawn := map[string]bool{}
	for _, s := range stories {
		told := s.tell(t)
		run := told.fold()
		for _, f := range draw(t, told.plan, run) {
			drawn[f.Name] = true
			d := drawings[f.Name]
			if d == nil {
				continue
			}
			content, err := as(d, told.plan, run)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(drawnFile{Name: f.Name, Content: content}, f, asText); diff != "" {
				t.Errorf("%s: %s differs:\n%s", s.name, f.Name, diff)
			}
		}
	}
	for name := range drawings {
		if !drawn[name] {
			t.Errorf("no story draws %s", name)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	run := clean(t).fold()
	for name, draw := range map[string]func() ([]drawnFile, error){
		"no plan":     func() ([]drawnFile, error) { return all(nil, run) },
		"no run":      func() ([]drawnFile, error) { return all(limiter(), nil) },
		"not started": func() ([]drawnFile, error) { return all(limiter(), &history.Run{}) },
	} {
		if files, err := draw(); !errors.Is(err, document.ErrNothing) || files != nil {
			t.Errorf("%s: got %v, %v; want ErrNothing", name, files, err)
		}
	}
}

// TestProgressName: the name of a plan becomes one that every file system takes.
func TestProgressName(t *testing.T) {
	run := clean(t).fold()
	for name, want := range map[string]string{
		"":                       "progress_plan.json",
		"limiter":                "progress_limiter.json",
		"../../etc/passwd":       "progress_etc_passwd.json",
		"Größe 1\x00":            "progress_Gr__e_1.json",
		"...":                    "progress_plan.json",
		strings.Repeat("a", 300): "progress_" + strings.Repeat("a", 100) + ".json",
	} {
		p := limiter()
		p.Meta.Name = name
		named := func(f drawnFile) bool { return f.Name == want }
		if files := draw(t, p, run); !slices.ContainsFunc(files, named) {
			t.Errorf("%q: no file is named %q", name, want)
		}
	}
}

// Whatever a stranger wrote, a view shows it and does nothing.
func TestNothingInvisible(t *testing.T) {
	for _, s := range stories {
		told := s.tell(t)
		for _, f := range draw(t, told.plan, told.fold()) {
			if !utf8.Valid(f.Content) {
				t.Errorf("%s: %s is not UTF-8", s.name, f.Name)
			}
			if at := invisible(f.Content); at >= 0 {
				t.Errorf("%s: %s has something invisible at byte %d", s.name, f.Name, at)
			}
			if strings.HasSuffix(f.Name, ".json") && !json.Valid(f.Content) {
				t.Errorf("%s: %s is not JSON", s.name, f.Name)
			}
		}
	}
}

// invisible is where the first character stands that shows nothing, or -1.
func invisible(doc []byte) int {
	for i, r := range string(doc) {
		if r != '\n' && !unicode.IsGraphic(r) {
			return i
		}
	}
	return -1
}

func TestTextWidth(t *testing.T) {
	for _, s := range stories {
		told := s.tell(t)
		text, err := as(document.Text, told.plan, told.fold())
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			// are there to be copied
			declaration := strings.HasPrefix(line, "   artifacts = {") || strings.HasPrefix(line, "   postconditions = [")
			if w := safetext.Width(line); w > 100 && !declaration {
				t.Errorf("%s: %d columns: %s", s.name, w, line)
			}
		}
	}
}
