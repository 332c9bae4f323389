package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A record is a Judgement in JSON, as a journal keeps it.
type record struct {
	Gate      string   `json:"gate"`
	Level     Level    `json:"level"`
	Phase     Phase    `json:"phase"`
	Stateless bool     `json:"stateless,omitempty"`
	Verdict   *Verdict `json:"verdict,omitempty"`
	Error     *failure `json:"error,omitempty"`
	TookMS    int64    `json:"took_ms"`
}

// A failure is why there is no verdict.
type failure struct {
	Class    string `json:"class"` // "timeout", "panic", "cancelled", "error"
	Text     string `json:"text"`
	Cause    Cause  `json:"cause,omitempty"`
	Proven   bool   `json:"proven,omitempty"`
	Evidence string `json:"evidence,omitempty"`
	LimitMS  int64  `json:"limit_ms,omitempty"`
	Stack    string `json:"stack,omitempty"`
}

// A RecordedError is an error that was read back from a record; only its class and its text were kept.
type RecordedError struct {
	Class string // "cancelled" or "error"
	Text  string
}

func (e *RecordedError) Error() string { return e.Text }

// Is reports a recorded cancellation as context.Canceled.
func (e *RecordedError) Is(target error) bool {
	return e.Class == "cancelled" && target == context.Canceled
}

// MarshalJSON writes the judgement with lower-case keys. An error is written as its class ("timeout", "panic", "cancelled",
// "error") and text, a time-out with cause and evidence, a panic with its stack, each text cut at MaxText; Took in whole milliseconds.
func (j Judgement) MarshalJSON() ([]byte, error) {
	r := record{Gate: j.Gate, Level: j.Level, Phase: j.Phase, Stateless: j.Stateless, Verdict: j.Verdict, TookMS: j.Took.Milliseconds()}
	if j.Err != nil {
		r.Error = failureOf(j.Err)
	}
	return json.Marshal(r)
}

func failureOf(err error) *failure {
	var late *TimeoutError
	var panicked *PanicError
	var recorded *RecordedError
	f := &failure{Class: "error", Text: err.Error()}
	switch {
	case errors.As(err, &late):
		kept := *late
		kept.Evidence = cut(late.Evidence)
		f.Class, f.Cause, f.Proven, f.Evidence, f.LimitMS = "timeout", kept.Cause, kept.Proven, kept.Evidence, kept.Limit.Milliseconds()
		f.Text = kept.Error()
	case errors.As(err, &panicked):
		f.Class, f.Text, f.Stack = "panic", panicked.Value, panicked.Stack
	case errors.As(err, &recorded):
		f.Class = recorded.Class
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		f.Class = "cancelled"
	}
	f.Text, f.Stack = cut(f.Text), cut(f.Stack)
	return f
}

// UnmarshalJSON reads what MarshalJSON writes. Time-outs and panics come back as *TimeoutError and *PanicError,
// anything else as *RecordedError. Written again, the judgement is the same, byte for byte.
func (j *Judgement) UnmarshalJSON(data []byte) error {
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("gate: read judgement: %w", err)
	}
	*j = Judgement{Gate: r.Gate, Level: r.Level, Phase: r.Phase, Stateless: r.Stateless, Verdict: r.Verdict,
		Took: time.Duration(r.TookMS) * time.Millisecond}
	if f := r.Error; f != nil {
		j.Err = f.err(r.Gate)
	}
	return nil
}

func (f *failure) err(name string) error {
	switch f.Class {
	case "timeout":
		return &TimeoutError{Name: name, Limit: time.Duration(f.LimitMS) * time.Millisecond, Cause: f.Cause, Evidence: f.Evidence, Proven: f.Proven}
	case "panic":
		return &PanicError{Name: name, Value: f.Text, Stack: f.Stack}
	}
	return &RecordedError{Class: f.Class, Text: f.Text}
}
