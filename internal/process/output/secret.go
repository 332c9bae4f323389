package output

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/planlock/planlock/internal/process/environ"
)

// minSecret is how many bytes a value needs to be taken for a secret. Shorter
// ones stand in ordinary text too often.
const minSecret = 8

// A secret is a value, or a line of one, and what is kept instead of it.
type secret struct{ value, instead []byte }

// Secrets are what is shown to nobody. The zero value is none.
type Secrets struct {
	all      []secret // the longest first
	replacer func() *strings.Replacer
}

// SecretsOf are the values of those variables of the NAME=value list env that
// environ.Secret is true of, and of all of hidden, whatever their names. A value of
// several lines, as keys have, is looked for line by line too, and each value as JSON spells it. Of a value with more
// names than one the first is shown.
func SecretsOf(env []string, hidden ...string) Secrets {
	var all []secret
	seen := map[string]bool{}
	add := func(name, value string) {
		if len(value) >= minSecret && !seen[value] {
			seen[value] = true
			all = append(all, secret{[]byte(value), []byte("[" + name + "]")})
		}
	}
	put := func(assignment string) {
		name, value, _ := strings.Cut(assignment, "=")
		add(name, value)
		for _, spelled := range spellings(value) {
			add(name, spelled)
		}
		for line := range strings.Lines(value) {
			add(name, strings.TrimRight(line, "\r\n"))
		}
	}
	for _, assignment := range env {
		if name, _, _ := strings.Cut(assignment, "="); environ.Secret(name) {
			put(assignment)
		}
	}
	for _, assignment := range hidden {
		put(assignment)
	}
	slices.SortStableFunc(all, func(a, b secret) int { return cmp.Compare(len(b.value), len(a.value)) })
	return Secrets{all, sync.OnceValue(func() *strings.Replacer {
		var pairs []string
		for _, s := range all {
			pairs = append(pairs, string(s.value), string(s.instead))
		}
		return strings.NewReplacer(pairs...)
	})}
}

// spellings are a value as JSON has it between quotation marks: as it is but for
// what must be escaped, with what HTML could take for a tag escaped too, and in
// ASCII alone.
func spellings(value string) []string {
	html, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(html[1 : len(html)-1]))
	var ascii strings.Builder
	for _, r := range plain {
		if r < utf8.RuneSelf {
			ascii.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&ascii, `\u%04x`, unit)
		}
	}
	return []string{string(html[1 : len(html)-1]), plain, ascii.String()}
}

// Replace is a text with the names of secrets in place of their values.
func (s Secrets) Replace(text string) string {
	if len(s.all) == 0 {
		return text
	}
	return s.replacer().Replace(text)
}

// A veil passes on what is written to it, with the names of secrets in place of
// their values, also where a value comes in pieces. It holds back only what may
// be the beginning of one, until the next write or flush.
type veil struct {
	secrets []secret
	to      io.Writer
	held    []byte
}

// Write passes on p. The error is that of the writer behind.
func (v *veil) Write(p []byte) (int, error) {
	if len(v.secrets) == 0 {
		return v.to.Write(p)
	}
	return len(p), v.pass(append(v.held, p...), false)
}

// flush passes on what was held back: nothing follows it.
func (v *veil) flush() error {
	return v.pass(v.held, true)
}

// pass passes on text as far as it is known what it shows. What may still
// become a secret is held, unless it is the last.
func (v *veil) pass(text []byte, last bool) error {
	shown := make([]byte, 0, len(text))
	for {
		at, found := v.next(text)
		if at < 0 || !last && v.begins(text[at:]) { // a longer one may come of it
			break
		}
		shown = append(append(shown, text[:at]...), found.instead...)
		text = text[at+len(found.value):]
	}
	keep := 0
	if !last {
		keep = v.begun(text)
	}
	shown = append(shown, text[:len(text)-keep]...)
	v.held = bytes.Clone(text[len(text)-keep:])
	if len(shown) == 0 {
		return nil
	}
	_, err := v.to.Write(shown)
	return err
}

// next is where the first secret of text is, and which; -1 where there is none.
// Of those in one place it is the longest.
func (v *veil) next(text []byte) (int, secret) {
	first, found := -1, secret{}
	for _, s := range v.secrets {
		within := text
		if first >= 0 {
			within = text[:min(len(text), first+len(s.value)-1)] // only what begins before
		}
		if at := bytes.Index(within, s.value); at >= 0 {
			first, found = at, s
		}
	}
	return first, found
}

// begun is the length of the longest end of text that a secret begins with.
func (v *veil) begun(text []byte) int {
	if len(v.secrets) == 0 {
		return 0
	}
	from := max(0, len(text)-len(v.secrets[0].value)+1)
	for at := from; at < len(text); at++ {
		if v.begins(text[at:]) {
			return len(text) - at
		}
	}
	return 0
}

// begins reports whether a secret begins with text and goes on after it.
func (v *veil) begins(text []byte) bool {
	return slices.ContainsFunc(v.secrets, func(s secret) bool {
		return len(text) < len(s.value) &&
			bytes.HasPrefix(s.value, text)
	})
}
