// Package script has source files read by a program that is started for it: the
// interpreter of a language, with a script of ours, whose parser is the
// authority on what it reads.
//
// The program is given files on its standard input, as one JSON document, and
// answers with one on its standard output. It is never given a path that it
// could open, and works in the root of the file system. It must not run what it
// reads.
package script

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/ledger/source"
)

// Limits of one start of a program: the bytes that it is given, where the files
// are not larger by themselves, the bytes of its answer, and its time.
const (
	maxInput  = 16 << 20
	maxAnswer = 256 << 20
	maxTime   = 2 * time.Minute
)

// maxVariants is how often a file may declare a name: each of its declarations is
// held against each of those of another time.
const maxVariants = 500

// A Program reads files.
type Program struct {
	Path string   // of the interpreter
	Args []string // with the script among them, or what starts Script
	// Script is handed over with the files, where a command line is too short for it.
	Script string
	// Alone says that the program gets no environment, which could have it load
	// what others wrote.
	Alone bool

	room int // for an answer; 0: maxAnswer
}

// request and answer are what goes in and comes out, in the same order.
type request struct {
	Script string  `json:"script,omitempty"`
	Files  []input `json:"files"`
}

type input struct {
	Path    string `json:"path"`
	Content []byte `json:"content"` // in base64
}

type answer struct {
	Files []file `json:"files"`
}

type file struct {
	Unread  string `json:"unread"`
	Symbols []struct {
		Name string `json:"name"`
		Line int    `json:"line"`
		Text string `json:"text"`
	} `json:"symbols"`
	Decls     []decl   `json:"decls"`
	Undecided []string `json:"undecided"`
	Unsaid    []string `json:"unsaid"`
	Faults    []struct {
		Line int    `json:"line"`
		Why  string `json:"why"`
	} `json:"faults"`
}

type decl struct {
	Name    string                   `json:"name"`
	Kind    string                   `json:"kind"`
	Text    string                   `json:"text"`
	Value   string                   `json:"value"`
	Members map[string]source.Member `json:"members"`
	Sealed  bool                     `json:"sealed"`
	Unsaid  string                   `json:"unsaid"`
	Line    int                      `json:"line"`
}

// Read has the program read files, and answers for each, in their order. The
// error says why nobody read them.
func (p Program) Read(ctx context.Context, files []source.Input) ([]source.File, error) {
	out := make([]source.File, 0, len(files))
	for len(files) > 0 {
		n, size := 1, len(files[0].Content)
		for n < len(files) && size+len(files[n].Content) <= maxInput {
			size += len(files[n].Content)
			n++
		}
		read, err := p.start(ctx, files[:n])
		if err != nil {
			return nil, err
		}
		out, files = append(out, read...), files[n:]
	}
	return out, nil
}

// start runs the program once.
func (p Program) start(ctx context.Context, files []source.Input) ([]source.File, error) {
	asked := request{Script: p.Script}
	for _, f := range files {
		asked.Files = append(asked.Files, input(f))
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, fmt.Errorf("it took longer than %v", maxTime))
	defer cancel()
	said := output{room: cmp.Or(p.room, maxAnswer)}
	complaint := output{room: 4 << 10}
	cmd := osexec.CommandContext(ctx, p.Path, p.Args...)
	cmd.Dir = outside(p.Path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &said, &complaint
	if p.Alone {
		cmd.Env = []string{}
	}
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if said.full {
		err = errTooMuch
	}
	if err != nil {
		return nil, p.failed(ctx, err, &complaint)
	}
	read, err := decode(said.kept.Bytes(), files)
	if err != nil {
		return nil, fmt.Errorf("source: %s does not answer as it should: %w", p.Path, err)
	}
	return read, nil
}

// decode reads an answer about files.
func decode(text []byte, files []source.Input) ([]source.File, error) {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil || len(a.Files) != len(files) {
		return nil, cmp.Or(err, errShort)
	}
	out := make([]source.File, len(files))
	for i := range a.Files {
		out[i] = a.Files[i].of(files[i].Path)
	}
	return out, nil
}

var errShort = errors.New("files are missing")

// failed says why a program gave no answer.
func (p Program) failed(ctx context.Context, err error, complaint *output) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	lines := strings.Split(strings.TrimSpace(complaint.kept.String()), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return fmt.Errorf("source: %s gave up: %w: %s", p.Path, err, last)
	}
	return fmt.Errorf("source: %s gave up: %w", p.Path, err)
}

// outside is a folder in which no program finds files of a workspace.
func outside(program string) string {
	if runtime.GOOS == "windows" {
		return filepath.Dir(program)
	}
	return "/"
}

// of is a file of a path as others know it.
func (f *file) of(path string) source.File {
	out := source.File{Path: path, Unread: f.Unread}
	if f.Unread != "" {
		return out
	}
	for _, s := range f.Symbols {
		out.Symbols = append(out.Symbols, source.Symbol{Name: s.Name, Line: max(1, s.Line), Text: s.Text})
	}
	times := map[string]int{}
	for _, d := range f.Decls {
		if times[d.Name]++; times[d.Name] > maxVariants {
			f.Undecided = append(f.Undecided, fmt.Sprintf("it declares %s more than %d times", d.Name, maxVariants))
			continue
		}
		out.Surface.Add(d.Name, source.Decl{Kind: d.Kind, Text: d.Text, Value: d.Value, Members: d.Members,
			Sealed: d.Sealed, Unsaid: d.Unsaid, Path: path, Line: max(1, d.Line)})
	}
	out.Surface.Undecided, out.Surface.Unsaid = sorted(f.Undecided), sorted(f.Unsaid)
	for _, x := range f.Faults {
		out.Faults = append(out.Faults, source.Fault{Line: max(1, x.Line), Why: x.Why})
	}
	return out
}

// sorted are texts in order, each once.
func sorted(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// An output keeps what a program prints, up to some bytes; more ends it. The
// buffer is no part of its type: os/exec would go around Write.
type output struct {
	kept bytes.Buffer
	room int
	full bool
}

var errTooMuch = errors.New("it says too much")

func (o *output) Write(b []byte) (int, error) {
	if o.kept.Len()+len(b) > o.room {
		o.full = true
		return 0, errTooMuch
	}
	return o.kept.Write(b)
}
