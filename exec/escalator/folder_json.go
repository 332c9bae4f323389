package escalator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/internal/jsontree"
	"github.com/planlock/planlock/internal/safetext"
)

const (
	questionSchema = "planlock.question/1"
	answerSchema   = "planlock.answer/1"
)

// A postedQuestion is the content of a question's file.
type postedQuestion struct {
	Schema string `json:"schema"`
	ask.Question
}

// A postedAnswer is the content of an answer's file. The schema may be left
// out.
type postedAnswer struct {
	Schema string `json:"schema,omitempty"`
	ask.Answer
}

func encodeQuestion(q ask.Question) ([]byte, error) { return encode(postedQuestion{questionSchema, q}) }
func encodeAnswer(a ask.Answer) ([]byte, error)     { return encode(postedAnswer{answerSchema, a}) }

// encode is JSON that people can read, with nothing in it that a terminal would
// act on.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false) // people read it
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	return safetext.JSON(b.Bytes()), nil
}

// decodeQuestion reads what encodeQuestion wrote; fields that it does not know
// are left out.
func decodeQuestion(data []byte) (ask.Question, error) {
	var p postedQuestion
	if err := json.Unmarshal(data, &p); err != nil {
		return ask.Question{}, err
	}
	if p.Schema != questionSchema {
		return ask.Question{}, fmt.Errorf("its schema is %q, not %q", p.Schema, questionSchema)
	}
	return p.Question, p.Answerable()
}

// decodeAnswer reads an answer that anybody may have written. It is strict: no
// field that does not exist, none twice, nothing behind the end.
func decodeAnswer(data []byte) (ask.Answer, error) {
	if err := flat(data, "schema", "question", "run", "attempt", "choice", "acknowledged", "reason", "by", "at", "remember", "confirmed"); err != nil {
		return ask.Answer{}, err
	}
	var p postedAnswer
	if err := json.Unmarshal(data, &p); err != nil {
		return ask.Answer{}, err
	}
	if p.Schema != "" && p.Schema != answerSchema {
		return ask.Answer{}, fmt.Errorf("its schema is %q, not %q", p.Schema, answerSchema)
	}
	return p.Answer, nil
}

// flat returns nil if data is one JSON object with some of the fields, each at
// most once and none of them an object or a list.
func flat(data []byte, fields ...string) error {
	root, err := jsontree.ParseStrict(string(data))
	var bad *jsontree.Error
	if errors.As(err, &bad) {
		return fmt.Errorf("byte %d: %s", bad.Offset, bad.Reason)
	}
	if root.Kind() != jsontree.Object {
		return errors.New("it is not an object")
	}
	for field := range root.Each {
		if !slices.Contains(fields, field.Key()) {
			return fmt.Errorf("it has a field %q; there are %q", field.Key(), fields)
		}
		if field.Kind() == jsontree.Object || field.Kind() == jsontree.Array {
			return fmt.Errorf("its field %q is not a plain value", field.Key())
		}
	}
	return nil
}

// sameQuestion says whether posted, which was read from a file, is q: all of it
// but the deadline, which may move. That includes the moment of asking, the one
// part that nobody knows ahead.
func sameQuestion(posted, q ask.Question) bool {
	data, err := encodeQuestion(q)
	if err != nil {
		return false
	}
	q, err = decodeQuestion(data) // what is not UTF-8 is replaced on the way to a file
	if err != nil || !posted.Asked.Equal(q.Asked) {
		return false
	}
	posted.Asked, posted.Deadline = q.Asked, q.Deadline
	want, errWant := encodeQuestion(q)
	got, errGot := encodeQuestion(posted)
	return errWant == nil && errGot == nil && bytes.Equal(want, got)
}
