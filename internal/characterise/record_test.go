package characterise

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// record writes down the documents of all runs, and what the workspaces hold.
// Of most scenarios it keeps only digests of the documents that others have in
// full.
func (s *scene) record(label string) {
	s.t.Helper()
	s.each(label, func(n normaliser, run, id string) {
		s.recordJournal(n, run, id)
		s.recordViews(n, run, id, nil)
	})
}

// glance writes down what is there for whoever is asked.
func (s *scene) glance(label string) {
	s.t.Helper()
	s.each(label, func(n normaliser, run, id string) {
		s.recordViews(n, run, id, []string{"next-session.md", "stuck-report.md"})
	})
}

// each calls do for each run of each workspace, in that workspace, and writes
// down the status and what the workspace holds.
func (s *scene) each(label string, do func(n normaliser, run, id string)) {
	s.t.Helper()
	n, back := s.normaliser(), s.cwd
	defer func() { s.cwd = back }()
	for _, ws := range s.workspaces() {
		s.cwd = ws
		here := label
		if base := filepath.Base(ws); base != "ws" {
			here += base + "/"
		}
		for _, id := range runs(ws) {
			do(n, here+n.runs[id]+"/", id)
		}
		s.add(here+"status", n.text(s.answer("planlock status")))
		s.add(here+"workspace", s.tree())
	}
}

// add records a document, unless the one of that name was the same when it was
// recorded last.
func (s *scene) add(name, text string) {
	kept := path.Base(path.Dir(name)) + "/" + path.Base(name)
	switch {
	case text != "" && s.known[kept] == text:
		text = "(as before)\n"
	case len(text) > 80 && strings.Contains(s.session.String(), text):
		text = "(as printed)\n"
	default:
		s.known[kept] = text
	}
	s.recorded = append(s.recorded, file{name, text})
}

// answer is what a command prints, with its status where it is not 0.
func (s *scene) answer(line string) string {
	out, errs, status := s.ask(line)
	if status != 0 {
		return fmt.Sprintf("[status %d]\n%s%s", status, errs, out)
	}
	return string(errs) + string(out)
}

// sum records the digest of a document, or all of it in a scenario that says
// so.
func (s *scene) sum(name, text string) {
	if !s.full {
		text = digest(text) + "\n"
	}
	s.add(name, text)
}

func (s *scene) recordJournal(n normaliser, run, id string) {
	s.t.Helper()
	answer := s.answer("planlock log " + id + " --format jsonl")
	text, err := n.text(answer), error(nil)
	if strings.HasPrefix(answer, "{") {
		text, err = n.journal(answer)
	}
	if err != nil {
		s.t.Fatalf("%v\n%s", err, answer)
	}
	s.add(run+"journal", text)
	s.sum(run+"log", n.text(s.answer("planlock log "+id)))
	s.add(run+"verify", n.text(s.answer("planlock verify "+id)))
}

// recordViews records all documents of a run, or those that are named.
func (s *scene) recordViews(n normaliser, run, id string, names []string) {
	s.t.Helper()
	for path := range strings.Lines(s.answer("planlock report " + id + " --all")) {
		path = strings.TrimSpace(path)
		name := filepath.Base(path)
		if oneOfSeveral(path) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(s.cwd, path))
		if err != nil { // it says why there are none
			s.add(run+"views", n.text(path))
			return
		}
		view := n.document(name, string(text))
		switch {
		case names == nil && strings.HasPrefix(name, "report."):
			s.recordReport(n, run, id, name, view)
		case names == nil:
			s.sum(run+n.text(name), view)
		case slices.Contains(names, name):
			s.add(run+name, view)
		}
	}
}

// oneOfSeveral reports whether a document is that of one of a run's checkpoints:
// how many they are in a second depends on the machine. exec/document has
// examples of them.
func oneOfSeveral(path string) bool { return strings.HasPrefix(filepath.Base(path), "chk-") }

// recordReport records a report as it is printed, and as it lies in the folder
// of the run, where nobody spelled what can be done next.
func (s *scene) recordReport(n normaliser, run, id, name, view string) {
	s.t.Helper()
	format := strings.Replace(strings.TrimPrefix(name, "report."), "txt", "text", 1)
	printed := n.document(name, s.answer("planlock report "+id+" --format "+format))
	if format == "text" {
		s.add(run+"report", printed)
		if d := differing(printed, view); d != "" {
			s.add(run+name+", where it differs", d)
		}
		return
	}
	s.sum(run+name, view)
	if d := differing(view, printed); d != "" {
		s.sum(run+name+" as printed, where it differs", d)
	}
}

// differing are the lines of a text that another has not.
func differing(other, text string) string {
	var b strings.Builder
	known := strings.Split(other, "\n")
	for line := range strings.Lines(text) {
		if !slices.Contains(known, strings.TrimSuffix(line, "\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// tree lists what the workspace holds.
func (s *scene) tree() string {
	var b strings.Builder
	err := filepath.WalkDir(s.cwd, func(name string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(s.cwd, name)
		switch {
		case err != nil:
			return err
		case rel == ".planlock" || rel == "fifo" || rel == ".git":
			return fs.SkipDir
		case e.IsDir():
			return nil
		case !e.Type().IsRegular():
			target, _ := os.Readlink(name)
			fmt.Fprintf(&b, "%s %v %s\n", rel, e.Type(), target)
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if ext := filepath.Ext(rel); ext == ".toml" || ext == ".json" || len(text) > 200 {
			fmt.Fprintf(&b, "%s\n", rel)
			return nil
		}
		fmt.Fprintf(&b, "%s %q\n", rel, text)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return b.String()
}
