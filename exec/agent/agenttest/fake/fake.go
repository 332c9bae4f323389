// Package fake has agents for tests that need no terminal, no model and no
// network: a test's own program, put in the way of the real ones under their
// names, which prints their streams.
//
//	func TestMain(m *testing.M) {
//		fake.Main()
//		os.Exit(m.Run())
//	}
//
//	claude := fake.Install(t, "claude", fake.Turn{Write: map[string]string{"a.txt": "a\n"}, Say: "Done."})
//	// … an executor of "claude" carries out a step …
//	fmt.Println(claude.Told()[0].Prompt)
//
// What an agent is to do is kept by the test, and asked for by the loopback
// interface: nothing is left on the disk.
package fake

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/internal/suite"
)

// A Turn is what an agent does when it is told something: first what is on top.
type Turn struct {
	Home   map[string]string // files that it writes in its home
	Write  map[string]string // files that it writes, below the current folder
	Delete []string          // files that it deletes there
	Raw    string            // printed as it stands, before all else
	Flood  int               // megabytes that are printed as one line
	Stderr string            // printed on standard error
	Hang   bool              // it goes silent, and stays so
	Call   string            // a command that it says it runs
	Say    string            // its last message
	Fail   string            // why it could not go on, as its stream says
	Mute   bool              // its stream has no end
	Exit   int               // its exit status; a failure has one by itself

	In, Out int64   // tokens
	Cost    float64 // dollars
}

// Told is what an agent was told.
type Told struct {
	Args   []string
	Env    []string
	Dir    string
	Prompt string
}

// An Agent is one that was installed.
type Agent struct {
	one   sync.Mutex
	turns []Turn
	told  []Told
}

// Told are what it was told, in order.
func (a *Agent) Told() []Told {
	a.one.Lock()
	defer a.one.Unlock()
	return slices.Clone(a.told)
}

// Add has it do more.
func (a *Agent) Add(turns ...Turn) {
	a.one.Lock()
	defer a.one.Unlock()
	a.turns = append(a.turns, turns...)
}

// next is the turn that answers what it was told; the last one is repeated.
func (a *Agent) next(t Told) Turn {
	a.one.Lock()
	defer a.one.Unlock()
	a.told = append(a.told, t)
	switch n := len(a.told); {
	case len(a.turns) == 0:
		return Turn{Say: "Done."}
	default:
		return a.turns[min(n, len(a.turns))-1]
	}
}

// Install puts an agent of a name into the PATH of the test, before all else. Call
// [Main] in TestMain.
func Install(t testing.TB, name string, turns ...Turn) *Agent {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a program has no second name here")
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	dir := t.TempDir()
	program := filepath.Join(dir, name)
	if err := os.Symlink(own, program); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program+beside, []byte(listener.Addr().String()), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	a := &Agent{turns: turns}
	go a.serve(listener)
	return a
}

// beside ends the name of the file in which the address of the test stands.
const beside = ".address"

func (a *Agent) serve(listener net.Listener) {
	for {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			var told Told
			if json.NewDecoder(c).Decode(&told) == nil {
				json.NewEncoder(c).Encode(a.next(told))
			}
		}()
	}
}

// Main acts as an agent where the program was started as one, and does not return
// then.
func Main() {
	address, err := os.ReadFile(os.Args[0] + beside)
	if err != nil {
		return
	}
	suite.EndAtOnce()
	name := filepath.Base(os.Args[0])
	if slices.Contains(os.Args, "--version") {
		fmt.Printf("9.9.9 (fake %s)\n", name)
		os.Exit(0)
	}
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		die(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		die(err)
	}
	c, err := net.Dial("tcp", string(address))
	if err != nil {
		die(err)
	}
	var turn Turn
	if err := json.NewEncoder(c).Encode(Told{os.Args[1:], os.Environ(), dir, string(prompt)}); err != nil {
		die(err)
	}
	if err := json.NewDecoder(c).Decode(&turn); err != nil {
		die(err)
	}
	turn.Say = Answer(turn.Say, string(prompt)+strings.Join(os.Args, " "))
	os.Exit(turn.act(name))
}

func die(err error) {
	fmt.Fprintln(os.Stderr, "fake:", err)
	os.Exit(2)
}

// Answer is what is said with {digest} filled in: the last digest that the prompt
// names, as validators are told it.
func Answer(say, prompt string) string {
	at := strings.LastIndex(prompt, "sha256:")
	if end := at + len("sha256:") + 64; at >= 0 && end <= len(prompt) {
		say = strings.ReplaceAll(say, "{digest}", prompt[at:end])
	}
	return say
}

// act does what a turn says and returns the exit status.
func (t Turn) act(name string) int {
	home, err := os.UserHomeDir()
	if err != nil {
		die(err)
	}
	s := streamOf(name)
	s.begin()
	for path, text := range t.Home {
		put(filepath.Join(home, path), text)
	}
	for path, text := range t.Write {
		s.edit(path)
		put(path, text)
	}
	for _, path := range t.Delete {
		if err := os.RemoveAll(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if t.Raw != "" {
		fmt.Println(t.Raw)
	}
	for range t.Flood {
		fmt.Print(strings.Repeat("x", 1<<20))
	}
	if t.Flood > 0 {
		fmt.Println()
	}
	if t.Stderr != "" {
		fmt.Fprintln(os.Stderr, t.Stderr)
	}
	for t.Hang {
		time.Sleep(time.Hour)
	}
	if t.Call != "" {
		s.call(t.Call)
	}
	if t.Say != "" {
		s.say(t.Say)
	}
	if !t.Mute {
		s.end(t)
	}
	if t.Fail != "" && t.Exit == 0 {
		return 1
	}
	return t.Exit
}

// put writes a file, as far as it may: an agent goes on where it may not.
func put(path, text string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
