package config

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/planlock/planlock/internal/lazyre"
)

// Bounds of a file: more is no configuration.
const (
	MaxSize    = 256 << 10
	maxNumber  = 1 << 20
	maxEntries = 4096
	maxName    = 100
)

// A Place is where something is settled.
type Place struct {
	File         string
	Line, Column int
}

// String is the place as people read it, as in "planlock.toml:3".
func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// A Setting is a key with what was settled.
type Setting struct {
	Key   string   // as in "agents.mine.args"
	Value []string // one word, or the words of a list
	Place Place
}

// An Error says what is wrong with a file, and where.
type Error struct {
	Place Place
	Text  string
	Hint  string // how to mend it; may be empty
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s:%d:%d: %s", e.Place.File, e.Place.Line, e.Place.Column, e.Text)
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// planKeys are names at the top of plans that no configuration has.
var planKeys = lazyre.New(`(?m)^[ \t]*(?:(?:schema|goal|tasks|speclets|requirements|invariants|non_goals|completion_criteria|execution|defaults|meta)[ \t]*[=.]|\[\[?[ \t]*(?:goal|tasks|speclets|requirements|invariants|non_goals|completion_criteria|execution|defaults|meta)[ \t]*[\].])`)

// IsPlan reports whether a TOML text is a plan, or is meant to be one, and no
// configuration: it has a key or a table that plans have at their top, and
// configurations have nowhere. It is looked for line by line, so that a text
// with a mistake is told, too.
func IsPlan(text []byte) bool { return planKeys.Match(text) }

// IsConfig reports whether a text is a configuration by its keys: all of them
// are those of a configuration, or the like, and there is one at least.
func IsConfig(text []byte) bool {
	if IsPlan(text) {
		return false
	}
	settings, _ := Read("", text)
	return len(settings) > 0
}

// Read reads a configuration. The error joins an *[Error] for each thing that is
// wrong; what is right is returned all the same.
func Read(file string, text []byte) ([]Setting, error) {
	r := reader{file: file, text: text, seen: map[string]bool{}}
	if len(text) > MaxSize {
		return nil, TooLarge(file)
	}
	r.text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if at := invalid(r.text); at >= 0 {
		r.fault(at, "this is not UTF-8", "")
		return nil, errors.Join(r.faults...)
	}
	if err := toml.Unmarshal(r.text, &map[string]any{}); err != nil {
		return nil, r.syntax(err)
	}
	r.read()
	return r.settings, errors.Join(r.faults...)
}

// TooLarge is the error of a file that is larger than a configuration.
func TooLarge(file string) error {
	return &Error{Place: Place{file, 1, 1}, Text: fmt.Sprintf("a configuration has at most %d KiB", MaxSize>>10)}
}

// invalid is where the first byte stands that is not UTF-8, or -1.
func invalid(text []byte) int {
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// A reader makes settings of a text.
type reader struct {
	file     string
	text     []byte
	parser   unstable.Parser
	settings []Setting
	seen     map[string]bool
	faults   []error
}

// place is that of a byte.
func (r *reader) place(offset int) Place {
	before := r.text[:min(offset, len(r.text))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return Place{r.file, line, column}
}

// fault notes what is wrong.
func (r *reader) fault(offset int, text, hint string) {
	r.faults = append(r.faults, &Error{r.place(offset), text, hint})
}

// syntax is the error of a text that is no TOML.
func (r *reader) syntax(err error) error {
	e := &Error{Place: Place{r.file, 1, 1}, Text: strings.TrimPrefix(err.Error(), "toml: ")}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		e.Place.Line, e.Place.Column = decode.Position()
	}
	return e
}

// read takes the document, line by line.
func (r *reader) read() {
	r.parser.Reset(r.text)
	var table []string
	passed := false // the keys of a table that was refused are not looked at
	for n := 0; r.parser.NextExpression(); n++ {
		e := r.parser.Expression()
		names, at := path(e)
		switch {
		case n >= maxEntries:
			r.fault(at, "there are more keys than a configuration has", "")
			return
		case e.Kind == unstable.KeyValue && !passed:
			r.value(slices.Concat(table, names), e.Value(), at)
		case e.Kind == unstable.Table:
			table, passed = names, !isTable(names)
			if passed {
				r.unknown(names, at)
			}
		case e.Kind == unstable.ArrayTable:
			passed = true
			r.unknown(names, at)
		}
	}
}

// path are the names of a key or a header, and where the first of them stands.
func path(n *unstable.Node) (names []string, at int) {
	for parts := n.Key(); parts.Next(); {
		if len(names) == 0 {
			at = int(parts.Node().Raw.Offset)
		}
		names = append(names, string(parts.Node().Data))
	}
	return names, at
}

// unknown refuses a key or a table.
func (r *reader) unknown(names []string, at int) {
	hint := ""
	if near := meant(names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	r.fault(at, fmt.Sprintf("there is no setting %q", strings.Join(names, ".")), hint)
}

// misnamed says what is wrong with the name that stands in a path of names: nobody
// could type it, NAME=MODEL, or it is more than a line; "" where nothing is.
func (k Key) misnamed(path []string) string {
	at := slices.Index(strings.Split(k.Name, "."), "NAME")
	if at < 0 || plain(path[at]) && !strings.ContainsAny(path[at], `=/\`) && utf8.RuneCountInString(path[at]) <= maxName {
		return ""
	}
	return fmt.Sprintf("%s is no name: it is one line, without = and slashes, of at most %d letters", strconv.Quote(path[at]), maxName)
}

// value takes what a key is set to.
func (r *reader) value(names []string, v *unstable.Node, at int) {
	key, ok := keyOf(names)
	if !ok && v.Kind == unstable.InlineTable && isTable(names) {
		for it := v.Children(); it.Next(); {
			inner, at := path(it.Node())
			r.value(slices.Concat(names, inner), it.Node().Value(), at)
		}
		return
	}
	if !ok {
		r.unknown(names, at)
		return
	}
	if fault := key.misnamed(names); fault != "" {
		r.fault(at, fault, "")
		return
	}
	words, fault := key.words(v)
	if fault != "" {
		r.fault(at, fmt.Sprintf("%s is %s", strings.Join(names, "."), fault), "")
		return
	}
	name := strings.Join(names, ".")
	if r.seen[name] { // of names with dots in them
		r.fault(at, fmt.Sprintf("%s is set twice", name), "")
		return
	}
	r.seen[name] = true
	r.settings = append(r.settings, Setting{name, words, r.place(at)})
}

var amount = lazyre.New(`^[0-9]{1,9}(?:\.[0-9]{1,6})?$`)

// words are those of a value, or what it must be instead.
func (k Key) words(v *unstable.Node) (words []string, fault string) {
	one := string(v.Data)
	switch {
	case v.Kind == unstable.Array && (k.Kind == List || k.Kind == Words):
		for it := v.Children(); it.Next(); {
			n := it.Node()
			if n.Kind == unstable.Comment {
				continue
			}
			if n.Kind != unstable.String || !plain(string(n.Data)) {
				return nil, k.Kind.String()
			}
			words = append(words, string(n.Data))
		}
		return words, ""
	case v.Kind == unstable.String && (k.Kind == Word || k.Kind == Words) && plain(one):
		if k.Of != nil && !slices.Contains(k.Of, one) {
			return nil, "one of " + strings.Join(k.Of, ", ")
		}
		return []string{one}, ""
	case k.Kind == Number && v.Kind == unstable.Integer:
		if n, err := strconv.Atoi(strings.ReplaceAll(one, "_", "")); err == nil && n >= 0 && n <= maxNumber {
			return []string{strconv.Itoa(n)}, ""
		}
	case k.Kind == Amount && (v.Kind == unstable.String || v.Kind == unstable.Integer || v.Kind == unstable.Float):
		if amount.MatchString(one) {
			return []string{one}, ""
		}
	case k.Kind == Duration && v.Kind == unstable.String:
		if d, err := time.ParseDuration(one); err == nil && d > 0 {
			return []string{d.String()}, ""
		}
	case k.Kind == Address && v.Kind == unstable.String && plain(one):
		if at, err := url.Parse(one); err == nil && (at.Scheme == "https" || at.Scheme == "http") && at.Host != "" {
			return []string{one}, ""
		}
	case k.Kind == Switch && v.Kind == unstable.Bool:
		return []string{one}, ""
	}
	return nil, k.Kind.String()
}

// plain reports whether a text is a word that a command line may have.
func plain(text string) bool {
	return strings.TrimSpace(text) != "" && !strings.ContainsFunc(text, unicode.IsControl)
}
