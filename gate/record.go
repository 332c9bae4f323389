package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
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

// A RecordedError is an error that was read back from a record; only its class
// and its text were kept.
type RecordedError struct {
	Class string // "cancelled" or "error"
	Text  string
}

func (e *RecordedError) Error() string { return e.Text }

// Is reports a recorded cancellation as context.Canceled.
func (e *RecordedError) Is(target error) bool {
	return e.Class == "cancelled" && target == context.Canceled
}

// MarshalJSON writes the judgement with lower-case keys. An error is written as
// its class ("timeout", "panic", "cancelled", "error") and text, a time-out
// with cause and evidence, a panic with its stack, each text cut at 4 KiB;
// Took in whole milliseconds.
func (j Judgement) MarshalJSON() ([]byte, error) {
	if text, ok := j.plainJSON(); ok {
		return text, nil
	}
	r := record{Gate: j.Gate, Level: j.Level, Phase: j.Phase, Stateless: j.Stateless, Verdict: j.Verdict,
		TookMS: j.Took.Milliseconds()}
	if j.Err != nil {
		r.Error = failureOf(j.Err)
	}
	return json.Marshal(r)
}

// plainJSON is what package json writes of a record, for most of them: those of
// gates that object to nothing, in words that JSON takes as they are. Every
// step has about ten.
func (j *Judgement) plainJSON() (text []byte, ok bool) {
	v := j.Verdict
	if j.Err != nil || v == nil || v.Tolerated || len(v.Findings)+len(v.Citations) > 0 || v.Review != nil ||
		!plain(j.Gate) || !plain(string(j.Phase)) || !plain(string(v.Result)) {
		return nil, false
	}
	room := 128 + len(j.Gate)
	for _, e := range v.Evidence {
		if !plain(e) {
			return nil, false
		}
		room += len(e) + 3
	}
	text = append(append(make([]byte, 0, room), `{"gate":"`...), j.Gate...)
	text = strconv.AppendInt(append(text, `","level":`...), int64(j.Level), 10)
	text = append(append(append(text, `,"phase":"`...), j.Phase...), '"')
	if j.Stateless {
		text = append(text, `,"stateless":true`...)
	}
	text = append(append(append(text, `,"verdict":{"result":"`...), v.Result...), '"')
	if v.Idle {
		text = append(text, `,"idle":true`...)
	}
	for i, e := range v.Evidence {
		between := `","`
		if i == 0 {
			between = `,"evidence":["`
		}
		text = append(append(text, between...), e...)
	}
	if len(v.Evidence) > 0 {
		text = append(text, `"]`...)
	}
	text = strconv.AppendInt(append(text, `},"took_ms":`...), j.Took.Milliseconds(), 10)
	return append(text, '}'), true
}

// plain reports whether a text stands in JSON as it is.
func plain(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

// failureOf is an error as a journal keeps it. Time-outs and panics keep what
// they know; of all others the text is kept.
func failureOf(err error) *failure {
	var late *TimeoutError
	var panicked *PanicError
	var recorded *RecordedError
	f := &failure{Class: "error", Text: err.Error()}
	switch {
	case errors.As(err, &late):
		kept := *late
		kept.Evidence = cut(late.Evidence)
		f.Class, f.Cause, f.Proven, f.Evidence, f.LimitMS = "timeout", kept.Cause, kept.Proven, kept.Evidence,
			kept.Limit.Milliseconds()
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

// UnmarshalJSON reads what MarshalJSON writes. Time-outs and panics come back
// as *TimeoutError and *PanicError, anything else as *RecordedError. Written
// again, the judgement is the same, byte for byte.
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

// err is the error again. One of a class that has no type of its own is a
// *[RecordedError].
func (f *failure) err(name string) error {
	switch f.Class {
	case "timeout":
		return &TimeoutError{Name: name, Limit: time.Duration(f.LimitMS) * time.Millisecond, Cause: f.Cause,
			Evidence: f.Evidence, Proven: f.Proven}
	case "panic":
		return &PanicError{Name: name, Value: f.Text, Stack: f.Stack}
	}
	return &RecordedError{Class: f.Class, Text: f.Text}
}
