package gate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
)

var update = flag.Bool("update", false, "write golden files")

func judgements() []gate.Judgement {
	return []gate.Judgement{
		{Gate: "limits", Level: 1, Phase: gate.During, Stateless: true, Took: 1500 * time.Microsecond,
			Verdict: &gate.Verdict{
				Result: gate.Fail,
				Findings: []gate.Finding{{Code: code.LimitFiles, Path: "a.go", Line: 3, Message: "m",
					Expected: "e", Happened: "h"}},
				Evidence:  []string{"2 files"},
				Citations: []gate.Citation{{Path: "a.go", Line: 3, Text: "x"}}}},
		{Gate: "ok", Phase: gate.Final, Verdict: &gate.Verdict{Result: gate.Passed}},
		{Gate: "late", Level: 2, Phase: gate.Planning, Took: time.Minute, Err: &gate.TimeoutError{
			Name: "late", Limit: time.Minute, Cause: gate.ModelStall, Evidence: "it was waiting for the model",
			Proven: true}},
		{Gate: "wild", Level: 1, Phase: gate.After, Err: &gate.PanicError{Name: "wild", Value: "boom", Stack: "main.go:1"}},
		{Gate: "stopped", Level: 1, Phase: gate.After, Err: fmt.Errorf("gate: stopped: %w", context.Canceled)},
		{Gate: "unsure", Level: 1, Phase: gate.After, Err: errors.New("gate: cannot tell")},
	}
}

func TestJudgementJSON(t *testing.T) {
	got, err := json.MarshalIndent(judgements(), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "judgements.json")
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(bytes.TrimSpace(want)), string(got)); diff != "" {
		t.Error(diff)
	}
	var back []gate.Judgement
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	for i, j := range judgements() {
		if j.Blocks() != back[i].Blocks() || j.MayAskAgain() != back[i].MayAskAgain() {
			t.Errorf("%s judges otherwise when read back", j.Gate)
		}
		if j.Err != nil && j.Err.Error() != back[i].Err.Error() {
			t.Errorf("%s: error %q became %q", j.Gate, j.Err, back[i].Err)
		}
	}
	if !errors.Is(back[4].Err, context.Canceled) || errors.Is(back[5].Err, context.Canceled) {
		t.Error("a recorded cancellation must be one, and nothing else")
	}
}

func FuzzJudgementJSON(f *testing.F) {
	for _, j := range judgements() {
		text, err := json.Marshal(j)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var j, again gate.Judgement
		if json.Unmarshal(text, &j) != nil {
			return
		}
		first, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("%s cannot be read back: %v", first, err)
		}
		second, err := json.Marshal(again)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s became %s (%v)", first, second, err)
		}
	})
}

func TestCodes(t *testing.T) {
	codes := gate.Codes()
	for i := 1; i < len(codes); i++ {
		if codes[i-1] >= codes[i] {
			t.Errorf("%q stands before %q", codes[i-1], codes[i])
		}
	}
}
