package agent

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
)

var update = flag.Bool("update", false, "write golden files again")

// golden compares a text with that of a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s (%v; -update writes it again); got:\n%s", file, err, got)
	}
}

// listen is what was heard of a stream, as it would be of a program, and what was
// said meanwhile.
func listen(talk talk, text string) (h *heard, told []string) {
	h = &heard{spent: func(exec.Usage) {}}
	stopped := false
	h.say = func(text string) { told = append(told, "says "+text) }
	h.at = func(text string) { told = append(told, "is "+text) }
	h.stop = func(why string) {
		stopped = true
		h.fail(why)
	}
	stream := &lines{to: func(line []byte) {
		if !stopped { // its program would have been ended
			talk.read(h, line)
		}
	}, long: func() { h.cut = true }}
	stream.Write([]byte(text))
	stream.end()
	h.flush()
	return h, told
}

// TestStreams reads streams that were recorded of the real programs.
func TestStreams(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*/*.jsonl")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d streams: %v", len(files), err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(file))
		a, ok := Named(name)
		if !ok {
			t.Fatalf("%s: no such agent", file)
		}
		h, told := listen(a.talk, string(text))
		e := &Executor{agent: a}
		fmt.Fprintf(&all, "%s/%s\n", name, filepath.Base(file))
		for i, line := range told {
			if i == 12 {
				fmt.Fprintf(&all, "  and %d more\n", len(told)-i)
				break
			}
			fmt.Fprintf(&all, "  %s\n", strings.ReplaceAll(line, "\n", "\n    "))
		}
		fmt.Fprintf(&all, "  session %v, word %q, %d in, %d out, %d calls, %v\n", h.session != "", clip(h.word, 60),
			h.usage.InputTokens, h.usage.OutputTokens, h.usage.Calls, h.usage.Cost)
		exit := 1
		if h.failed == "" && h.over {
			exit = 0
		}
		err = e.judge(h, exit, "")
		var limit *exec.LimitError
		if errors.As(err, &limit) { // until when depends on now
			err = fmt.Errorf("limit: said until when: %v, %s", !limit.Until.IsZero(), limit.Reason)
		}
		fmt.Fprintf(&all, "  = %v\n\n", err)
	}
	golden(t, "testdata/streams.golden", all.String())
}

// FuzzStreams: whatever is printed, a reader comes to an end, and what is counted
// is not negative.
func FuzzStreams(f *testing.F) {
	files, err := filepath.Glob("testdata/streams/*/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("{\"type\":\"result\",\"usage\":{\"input_tokens\":-5},\"total_cost_usd\":1e300}\n[]\nnull\n{\"type\":7}\n"))
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"\u0000","input":[]}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, a := range table() {
			h, _ := listen(a.talk, string(text))
			if u := h.usage; u.InputTokens < 0 || u.OutputTokens < 0 || u.Calls < 0 || u.Cost < 0 {
				t.Errorf("%s: %+v", a.Name, u)
			}
			if len(h.word) > mostWord || len(h.insights) > exec.MaxNotes {
				t.Errorf("%s: a word of %d bytes, %d insights", a.Name, len(h.word), len(h.insights))
			}
		}
	})
}

// TestSpentBefore: of a conversation that goes on, what it had spent before does
// not count once more, where the agent includes it.
func TestSpentBefore(t *testing.T) {
	const counted = `{"type":"assistant","message":{"id":"m","content":[],"usage":{"input_tokens":100,"output_tokens":10}}}` + "\n"
	result := func(in, out int, cost string) string {
		return fmt.Sprintf(`{"type":"result","subtype":"success","result":"Done.","total_cost_usd":%s,"modelUsage":{"m":{"inputTokens":%d,"outputTokens":%d}}}`,
			cost, in, out)
	}
	before := exec.Usage{InputTokens: 200, OutputTokens: 20, Cost: 1200}
	for _, test := range []struct {
		name, text string
		talk       talk
		want       exec.Usage
	}{
		{"claude, with it", counted + result(300, 30, "0.0018"), claudeTalk{}, exec.Usage{InputTokens: 100, OutputTokens: 10, Calls: 1, Cost: 600}},
		{"claude, without", counted + result(100, 10, "0.0006"), claudeTalk{}, exec.Usage{InputTokens: 100, OutputTokens: 10, Calls: 1, Cost: 600}},
		{"codex", `{"type":"turn.completed","usage":{"input_tokens":300,"output_tokens":30}}`, codexTalk{}, exec.Usage{InputTokens: 100, OutputTokens: 10, Calls: 1}},
		{"codex, a new one", `{"type":"turn.completed","usage":{"input_tokens":50,"output_tokens":5}}`, codexTalk{}, exec.Usage{InputTokens: 50, OutputTokens: 5, Calls: 1}},
	} {
		h := &heard{before: before, spent: func(exec.Usage) {}, say: func(string) {}, at: func(string) {}}
		for line := range strings.Lines(test.text) {
			test.talk.read(h, []byte(line))
		}
		if h.usage != test.want {
			t.Errorf("%s: %+v", test.name, h.usage)
		}
	}
}
