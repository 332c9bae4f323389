package gate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/planlock/planlock/gate"
)

// TestJudgementsErr: all that blocks is said, and what kept a gate from deciding
// is found by its type.
func TestJudgementsErr(t *testing.T) {
	fail := &gate.Verdict{Result: gate.Fail, Findings: []gate.Finding{{Path: "a.txt", Message: "is extra"}}}
	passed := gate.Judgement{Gate: "p", Level: gate.BlocksStep, Verdict: &gate.Verdict{Result: gate.Passed}}
	informs := gate.Judgement{Gate: "i", Level: gate.Informs, Verdict: fail}
	if err := (gate.Judgements{passed, informs}).Err(); err != nil {
		t.Errorf("nothing blocks, and the error is %v", err)
	}
	err := gate.Judgements{passed, {Gate: "f", Level: gate.BlocksStep, Verdict: fail}, informs,
		{Gate: "u", Level: gate.BlocksStep, Err: context.Canceled}}.Err()
	if want := "f: a.txt: is extra\ngate u could not decide: context canceled"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	if !errors.Is(err, context.Canceled) {
		t.Error("the cause is not in the chain")
	}
}
