package escalator

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/internal/asktest"
)

// Whatever is parsed either fails with places, or can answer without ever
// answering what it may not.
func FuzzParseRules(f *testing.F) {
	for _, name := range []string{"testdata/answers.toml", "testdata/bad.toml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("\ufeff[[rules]]\r\nchoice = 'r'\r\nreason = '''\nx'''\r\n"))
	f.Add([]byte("[[rules]]\n[rules.x]\n[[rules]]\nrules = 1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseRules("f", text)
		if err != nil {
			var rule *RuleError
			if r != nil || !errors.As(err, &rule) {
				t.Fatalf("%v, %v", r, err)
			}
			return
		}
		r.Now = at(asktest.Asked)
		for _, rule := range r.List {
			if rule.Choice == "" || rule.Reason == "" {
				t.Fatalf("an incomplete rule: %+v", rule)
			}
		}
		a, err := r.Ask(t.Context(), asktest.Failed())
		if err == nil {
			err = asktest.Failed().Check(a)
		} else if errors.Is(err, ask.ErrNoAnswer) {
			err = nil
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// What is read as an answer is written and read as the same answer.
func FuzzDecodeAnswer(f *testing.F) {
	f.Add([]byte(`{"schema": "planlock.answer/1", "question": "q1", "run": "r", "attempt": 2, "choice": "k", "acknowledged": "x", "by": "y", "at": "2026-11-20T19:31:00Z"}`))
	f.Add([]byte(`{"choice": "r", "choice": "s"} {}`))
	f.Add([]byte(`{"attempt": null, "at": null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := decodeAnswer(data)
		if err != nil {
			return
		}
		again, err := encodeAnswer(a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := decodeAnswer(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if !a.At.Equal(b.At) {
			t.Fatalf("given at %v, then at %v", a.At, b.At)
		}
		a.At = b.At
		if a != b {
			t.Fatalf("%+v became %+v", a, b)
		}
	})
}

func FuzzDecodeQuestion(f *testing.F) {
	q := asktest.Hostile()
	q.Evidence = q.Evidence[:2]
	data, err := encodeQuestion(q)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := decodeQuestion(data)
		if err != nil {
			return
		}
		for _, r := range ask.Render(q) {
			if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Fatalf("%U is shown", r)
			}
		}
		name := questionFile(q.Run, q.ID)
		if strings.ContainsAny(name, "/\\:\x00") || strings.HasPrefix(name, ".") {
			t.Fatalf("the file's name is %q", name)
		}
		again, err := encodeQuestion(q)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := decodeQuestion(again); err != nil || !sameQuestion(b, q) {
			t.Fatalf("it reads otherwise: %v\n%s", err, again)
		}
	})
}
