package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/jsontree"
	"github.com/planlock/planlock/internal/process/output"
)

// lineLimit is how long a line may be to be an event, in bytes. A longer one is
// log text.
const lineLimit = 1 << 20

// maxMetrics bounds how many metrics an attempt may name.
const maxMetrics = 1000

// A reader takes a program's standard output apart. What is no event goes on to
// log.
type reader struct {
	name string
	log  io.Writer

	line    []byte // the present line, as far as it is here
	cut     bool   // it is too long: its beginning has gone to log
	number  int
	long    bool // there was such a line
	logErr  error
	result  *result
	fault   *ProtocolError // the first one
	usage   exec.Usage
	spent   func(exec.Usage) // is told what was spent so far; may be nil
	metrics map[string]float64

	insights, decisions []string

	secrets output.Secrets // that stand in nothing that the program says, however its JSON spells them
}

// A result is the last event.
type result struct {
	ok       bool
	output   string
	err      string
	stateful bool

	declined  bool   // it does no steps of this kind
	exhausted bool   // its context is full
	summary   string // what a fresh attempt must know then
}

// Write never fails because of what the program wrote; it fails where log does.
func (r *reader) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			r.add(rest)
			break
		}
		r.add(rest[:end])
		r.finish()
		rest = rest[end+1:]
	}
	return len(p), r.logErr
}

// add is more of the present line.
func (r *reader) add(part []byte) {
	if !r.cut && len(r.line)+len(part) > lineLimit {
		r.cut, r.long = true, true
		r.say(r.line)
		r.line = r.line[:0]
	}
	if r.cut {
		r.say(part)
		return
	}
	r.line = append(r.line, part...)
}

// finish is the end of the present line.
func (r *reader) finish() {
	r.number++
	line := r.line
	r.line = r.line[:0]
	if r.cut {
		r.cut = false
		r.say([]byte("\n"))
		return
	}
	if !r.event(line) {
		r.say(append(line, '\n'))
	}
}

// end is the end of the output: the last line counts without its newline too.
func (r *reader) end() {
	if len(r.line) > 0 || r.cut {
		r.finish()
	}
}

func (r *reader) say(text []byte) {
	if r.logErr == nil && len(text) > 0 {
		_, r.logErr = r.log.Write(text)
	}
}

// event takes line as an event and reports whether it is one.
func (r *reader) event(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	fields, kind, err := parse(line, "log", "usage", "metric", "insight", "decision", "result")
	if kind == "" {
		return false
	}
	if err != nil {
		r.object(fmt.Sprintf("%q event: %v", kind, err))
		return true
	}
	if r.result != nil {
		r.object(fmt.Sprintf("a %q event follows the result", kind))
		return true
	}
	if err := r.take(kind, fields); err != nil {
		r.object(fmt.Sprintf("%q event: %v", kind, err))
	}
	return true
}

// parse reads a line that is an event of one of some kinds. One of a later
// protocol, or something else that happens to be JSON, has no kind. The error
// is of an event that not all readers read alike: which of two members of a
// name counts, or what stands for bytes that are no text.
func parse(line []byte, kinds ...string) (fields jsontree.Value, kind string, err error) {
	fields, err = jsontree.ParseAll(string(line))
	if err != nil {
		return fields, "", err
	}
	for m := range fields.Each {
		if m.Key() == "type" && m.Kind() == jsontree.String && slices.Contains(kinds, m.Text()) {
			kind = m.Text()
		}
	}
	var bad *jsontree.Error
	if errors.As(fields.Strict(), &bad) {
		err = fmt.Errorf("byte %d of the line: %s", bad.Offset, bad.Reason)
	}
	return fields, kind, err
}

func (r *reader) object(reason string) {
	if r.fault == nil {
		r.fault = &ProtocolError{Name: r.name, Line: r.number, Reason: r.secrets.Replace(reason)}
	}
}

// take takes in one event of a known kind.
func (r *reader) take(kind string, fields jsontree.Value) error {
	switch kind {
	case "log":
		var text string
		err := need(fields, "text", &text)
		if err == nil {
			r.say([]byte(r.secrets.Replace(text) + "\n"))
		}
		return err
	case "usage":
		return r.count(fields)
	case "metric":
		return r.measure(fields)
	case "insight":
		return r.note(fields, &r.insights)
	case "decision":
		return r.note(fields, &r.decisions)
	}
	var got result
	err := errors.Join(need(fields, "ok", &got.ok), take(fields, "output", &got.output),
		take(fields, "error", &got.err),
		take(fields, "stateful", &got.stateful), take(fields, "exhausted", &got.exhausted),
		take(fields, "declined", &got.declined),
		take(fields, "summary", &got.summary))
	switch {
	case err != nil:
	case got.ok && got.exhausted:
		err = errors.New("a step that was done has not exhausted its context")
	case got.ok && got.declined:
		err = errors.New("a step that was done was not declined")
	case got.declined && (got.exhausted || got.stateful):
		err = errors.New("a step that was declined was not begun")
	}
	if err == nil {
		for _, text := range []*string{&got.output, &got.err, &got.summary} {
			*text = r.secrets.Replace(*text)
		}
		r.result = &got
	}
	return err
}

// count adds up usage events.
func (r *reader) count(fields jsontree.Value) error {
	var u exec.Usage
	cost, err := money(fields.Get("cost"))
	u.Cost = cost
	if err := errors.Join(err, take(fields, "input_tokens", &u.InputTokens), take(fields, "output_tokens", &u.OutputTokens),
		take(fields, "calls", &u.Calls)); err != nil {
		return err
	}
	if u.InputTokens < 0 || u.OutputTokens < 0 || u.Calls < 0 {
		return errors.New("a count is negative")
	}
	if u.InputTokens > math.MaxInt64-r.usage.InputTokens || u.OutputTokens > math.MaxInt64-r.usage.OutputTokens ||
		u.Calls > math.MaxInt-r.usage.Calls || u.Cost > math.MaxInt64-r.usage.Cost {
		return errors.New("the counts together are more than can be counted")
	}
	r.usage.InputTokens += u.InputTokens
	r.usage.OutputTokens += u.OutputTokens
	r.usage.Calls += u.Calls
	r.usage.Cost += u.Cost
	if r.spent != nil {
		r.spent(r.usage)
	}
	return nil
}

// money is an amount of dollars: a number, or a decimal one as text.
func money(v jsontree.Value) (history.Money, error) {
	text := ""
	switch {
	case !v.OK():
		return 0, nil
	case v.Kind() == jsontree.String:
		text = v.Text()
	case v.Kind() == jsontree.Number:
		text = v.Raw()
	}
	m, err := history.ParseMoney(text)
	if err != nil {
		return 0, fmt.Errorf("field \"cost\": %w", err)
	}
	return m, nil
}

// measure keeps the last value of each metric.
func (r *reader) measure(fields jsontree.Value) error {
	var name string
	var value float64
	if err := errors.Join(need(fields, "name", &name), need(fields, "value", &value)); err != nil {
		return err
	}
	if name == "" || len(name) > 200 {
		return errors.New("a name has 1 to 200 bytes")
	}
	name = r.secrets.Replace(name)
	if r.metrics == nil {
		r.metrics = make(map[string]float64)
	}
	if _, known := r.metrics[name]; !known && len(r.metrics) == maxMetrics {
		return fmt.Errorf("more than %d metrics", maxMetrics)
	}
	r.metrics[name] = value
	return nil
}

// note keeps a text for the notepad.
func (r *reader) note(fields jsontree.Value, notes *[]string) error {
	var text string
	if err := need(fields, "text", &text); err != nil {
		return err
	}
	if text = strings.TrimSpace(text); text == "" {
		return errors.New("its text is empty")
	}
	if len(*notes) < exec.MaxNotes {
		*notes = append(*notes, r.secrets.Replace(text))
	}
	return nil
}

// need decodes a field that must be there.
func need(fields jsontree.Value, name string, to any) error {
	if !fields.Get(name).OK() {
		return fmt.Errorf("field %q is missing", name)
	}
	return take(fields, name, to)
}

// take decodes a field that may be missing. null is not a value.
func take(fields jsontree.Value, name string, to any) error {
	value := fields.Get(name)
	if !value.OK() {
		return nil
	}
	if value.Kind() == jsontree.Null || json.Unmarshal([]byte(value.Raw()), to) != nil {
		return fmt.Errorf("field %q has a value of another kind", name)
	}
	return nil
}

// reported is the failure that the program told.
func (r *reader) reported() error {
	if r.result == nil || r.result.ok {
		return nil
	}
	err := &ReportedError{Name: r.name, Text: r.result.err}
	switch {
	case r.result.declined:
		return fmt.Errorf("%w: %w", exec.ErrDeclined, err)
	case r.result.exhausted:
		return fmt.Errorf("%w: %w", exec.ErrContextExhausted, err)
	}
	return err
}

// outcome is what the program said in the end. Without a last word there are
// only the figures that it told.
func (r *reader) outcome() exec.Outcome {
	o := exec.Outcome{Usage: r.usage, Metrics: r.metrics, Insights: r.insights, Decisions: r.decisions}
	if r.result != nil {
		o.Output, o.Stdout, o.Stateful = r.result.output, r.result.output, r.result.stateful
		o.Summary = r.result.summary
	}
	return o
}

// bounded keeps the tail of a log that nobody else takes.
type bounded struct{ text []byte }

const boundedLimit = 64 << 10

// Write never fails.
func (b *bounded) Write(p []byte) (int, error) {
	b.text = append(b.text, p[max(0, len(p)-boundedLimit):]...)
	if len(b.text) > 2*boundedLimit {
		b.text = append(b.text[:0], b.text[len(b.text)-boundedLimit:]...)
	}
	return len(p), nil
}

// join puts the log before the output.
func (b *bounded) join(output string) string {
	text := b.text[max(0, len(b.text)-boundedLimit):]
	return string(text) + output
}
