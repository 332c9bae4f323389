package characterise

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	// corpus is the folder of the plans of other tools, which lies beside the
	// repository where somebody put it there.
	corpus         = "../../../shared/corpus"
	recordedCorpus = "testdata/recorded/corpus.txtar"
)

// large are plans of hundreds of steps: they are read, and not run.
var large = []string{"f4/beads/beads__2025-10-12__issues.jsonl", "f4/beads/beads__2025-11-26__issues.jsonl", "f4/task-master/claude-task-master__2025-03-24__tasks.json"}

// plans are the plans of the corpus: a folder or a file each.
var plans = regexp.MustCompile(`^(f1/[^/]+|f2/.*\.md|f3/[^/]+\.json|f4/[^/]+/[^/]+)$`)

// TestCorpus checks, converts and runs plans of the corpus, and compares
// with what was recorded of them: digests of what is printed and of all
// documents, how often there is which fact, and how it ends. No text of a plan
// is recorded. Every fourth plan is played, all with -slow and -update.
func TestCorpus(t *testing.T) {
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("there is no corpus beside the repository")
	}
	names := corpusPlans(t)
	every := 4
	switch {
	case testing.Short():
		every = len(names)/2 + 1
	case *all || *update:
		every = 1
	}
	command(t)
	props := readArchive(t, "testdata/props.txtar")
	got := archive{files: make([]file, len(names))}
	t.Run("plans", func(t *testing.T) {
		for i, name := range names {
			if i%every != 0 {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newScene(t)
				props.unpack(t, s.root)
				got.files[i] = file{name, s.corpusPlan(name)}
			})
		}
	})
	recorded := map[string]file{}
	for _, f := range readArchive(t, recordedCorpus).files {
		recorded[f.name] = f
	}
	for i, name := range names {
		if got.files[i].name == "" { // not played, as with -run
			got.files[i] = recorded[name]
		}
	}
	got.files = slices.DeleteFunc(got.files, func(f file) bool { return f.name == "" }) // new, and not played
	compare(t, recordedCorpus, got)
}

func corpusPlans(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(corpus, func(name string, _ fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(corpus, name)
		rel = filepath.ToSlash(rel)
		if plans.MatchString(rel) && !strings.HasSuffix(rel, "expected.json") {
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// corpusPlan carries out one plan, by an agent that makes what is to be
// created.
func (s *scene) corpusPlan(name string) string {
	s.t.Helper()
	plan := s.borrow(name)
	s.confine()
	s.cwd = filepath.Join(s.root, "ws")
	var b strings.Builder
	calls := []string{"check PLAN --format json", "convert PLAN", "run PLAN --executor ../maker.sh --mode silent"}
	if slices.Contains(large, name) {
		calls = calls[:2]
	}
	for _, call := range calls {
		out, errs, status := s.ask(strings.Replace("planlock "+call, "PLAN", plan, 1))
		n := s.normaliser()
		fmt.Fprintf(&b, "%s: status %d, prints %s and %s\n", call, status, digest(n.stream(string(out))),
			digest(n.stream(string(errs))))
	}
	n := s.normaliser()
	for _, id := range runs(s.cwd) {
		answer := s.answer("planlock log " + id + " --format jsonl")
		text, err := n.journal(answer)
		if err != nil {
			s.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%sjournal: %s\n", count(answer), digest(text))
		for _, path := range strings.Fields(s.answer("planlock report " + id + " --all")) {
			if oneOfSeveral(path) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(s.cwd, path))
			if err != nil {
				s.t.Fatal(err)
			}
			name := filepath.Base(path)
			s.recorded = append(s.recorded, file{n.text(name), n.document(name, string(text))})
		}
	}
	for _, f := range append(s.recorded, file{"workspace", s.tree()}) {
		fmt.Fprintf(&b, "%s: %s\n", f.name, digest(f.text))
	}
	return b.String()
}

// confine leaves the plans of strangers, who have commands in them, nothing but
// the programs that the agent needs.
func (s *scene) confine() {
	s.t.Helper()
	tools := filepath.Join(s.root, "tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		s.t.Fatal(err)
	}
	for _, name := range []string{"sh", "sed", "tr", "cat", "mkdir", "dirname"} {
		program, err := osexec.LookPath(name)
		if err == nil {
			err = os.Symlink(program, filepath.Join(tools, name))
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.env = append(s.env, "PATH="+filepath.Dir(command(s.t))+string(os.PathListSeparator)+tools, "HOME="+s.root)
}

// borrow copies a plan of the corpus, as paths are a part of what is printed.
func (s *scene) borrow(name string) string {
	s.t.Helper()
	from, to := filepath.Join(corpus, filepath.FromSlash(name)), filepath.Join(s.root, "plan", filepath.Base(name))
	info, err := os.Stat(from)
	if err != nil {
		s.t.Fatal(err)
	}
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
		var text []byte
		if text, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, text, 0o644)
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return to
}

func digest(text string) string {
	return fmt.Sprintf("%d lines %x", strings.Count(text, "\n"),
		sha256.Sum256([]byte(text)))[:len(fmt.Sprint(strings.Count(text, "\n")))+19]
}

// count says how often there is which fact, by the names of the records.
func count(journal string) string {
	dec, counts, total := json.NewDecoder(strings.NewReader(journal)), map[string]int{}, 0
	for dec.More() {
		var f fact
		if dec.Decode(&f) != nil {
			break
		}
		for _, row := range facts {
			if row.kind == f.Type && row.name != "" {
				counts[row.name]++
				total++
			}
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%s %d, ", name, counts[name])
	}
	return fmt.Sprintf("facts %d: %s\n", total, strings.TrimSuffix(b.String(), ", "))
}
