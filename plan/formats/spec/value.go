package spec

import (
	"bytes"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/planlock/planlock/plan"
)

// scalar spells a value as package plan does. why says what is wrong with one that TOML does not know; it stays a text.
func scalar(kind unstable.Kind, raw string) (name, text, why string) {
	switch kind {
	case unstable.Bool:
		return kindBoolean, raw, ""
	case unstable.Integer:
		digits := strings.ReplaceAll(strings.TrimPrefix(raw, "+"), "_", "")
		n, err := strconv.ParseInt(digits, 0, 64)
		if plain := strings.TrimPrefix(digits, "-"); err != nil || len(plain) > 1 && plain[0] == '0' && isNumber(plain) {
			return kindString, raw, raw + " is not a number: it begins with 0, or is too large"
		}
		return kindInteger, strconv.FormatInt(n, 10), ""
	case unstable.Float:
		f, err := strconv.ParseFloat(strings.ReplaceAll(raw, "_", ""), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return kindString, raw, ""
		}
		if f == 0 {
			f = 0 // the two zeros are one
		}
		return kindFloat, strconv.FormatFloat(f, 'e', -1, 64), ""
	case unstable.String:
		return kindString, raw, ""
	}
	if text, ok := moment(raw); ok {
		return kindDatetime, text, ""
	}
	return kindString, raw, raw + " is not a date or time"
}

// moment spells a date or time with T and Z.
func moment(raw string) (string, bool) {
	text := strings.ToUpper(strings.Replace(raw, " ", "T", 1))
	for _, layout := range [...]string{
		time.DateOnly, "15:04:05", "15:04", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			if strings.Contains(layout, "15:04") {
				layout = strings.Replace(strings.Replace(layout, "15:04:05", "15:04", 1), "15:04", "15:04:05.999999999", 1)
			}
			return t.Format(layout), true
		}
	}
	return "", false
}

// value is the node as a setting holds it; tables are lists of keys and values, sorted by key.
func (n *node) value() plan.Value {
	v := plan.Value{Kind: n.kind, Text: n.text}
	switch n.kind {
	case kindArray:
		v.List = make([]plan.Value, len(n.list))
		for i, item := range n.list {
			v.List[i] = item.value()
		}
	case kindTable:
		members := append([]member(nil), n.members...)
		sort.Slice(members, func(i, j int) bool { return members[i].name < members[j].name })
		v.List = make([]plan.Value, 0, 2*len(members))
		for _, m := range members {
			v.List = append(v.List, textValue(m.name), m.value.value())
		}
	}
	return v
}

func textValue(text string) plan.Value { return plan.Value{Kind: kindString, Text: text} }

func textList(list []string) plan.Value {
	v := plan.Value{Kind: kindArray, List: make([]plan.Value, len(list))}
	for i, text := range list {
		v.List[i] = textValue(text)
	}
	return v
}

// keyOf spells a name as it stands in a dotted key.
func keyOf(name string) string {
	bare := name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
	if bare {
		return name
	}
	return strconv.Quote(name)
}

// Bounds of what is read from a TOML file, so that time and memory stay in proportion to its length.
const (
	maxNesting = 64
	maxParts   = 1 << 18 // commas, dots and brackets of one value
)

var tooDeep = "values are nested more than " + strconv.Itoa(maxNesting) + " deep"

// tooMuch finds nesting and length that no plan needs, before anything is built. Strings and comments
// are passed over; all other faults are left to the parser.
func tooMuch(text []byte) (at int, why string) {
	depth, parts := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '#':
			if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
				i += n - 1
			} else {
				i = len(text)
			}
		case '"', '\'':
			i += stringLength(text[i:]) - 1
		case '\n':
			if depth == 0 {
				parts = 0
			}
		case '[', '{':
			depth++
			parts++
		case ']', '}':
			depth = max(0, depth-1)
		case ',', '.', '=':
			parts++
		}
		if depth > maxNesting {
			return i, tooDeep
		}
		if parts > maxParts {
			return i, "one value has more than " + strconv.Itoa(maxParts) + " parts"
		}
	}
	return 0, ""
}

// stringLength measures the string that a text begins with; one that does not end on its line ends there.
func stringLength(text []byte) int {
	quote, end := text[:1], 1
	if triple := bytes.Repeat(quote, 3); bytes.HasPrefix(text, triple) {
		quote, end = triple, 3
	}
	for end < len(text) {
		switch {
		case text[end] == '\\' && quote[0] == '"':
			end += 2
			continue
		case len(quote) == 1 && text[end] == '\n':
			return end
		case bytes.HasPrefix(text[end:], quote):
			end += len(quote)
			for len(quote) == 3 && end < len(text) && text[end] == quote[0] {
				end++
			}
			return end
		}
		end++
	}
	return len(text)
}
