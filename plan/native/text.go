package native

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

// tomlText spells a text. Lines are kept as lines where that is wanted and
// possible; what people cannot see is escaped.
func tomlText(s string, lines bool) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if lines && strings.Contains(s, "\n") {
		return "\"\"\"\n" + escapeTOML(s, true) + "\"\"\""
	}
	if strings.ContainsAny(s, `\"`) && !strings.Contains(s, "'") && safetext.Hidden(s) < 0 {
		return "'" + s + "'"
	}
	return `"` + escapeTOML(s, false) + `"`
}

// escapeTOML spells a text for a basic string, or one of several lines.
func escapeTOML(s string, lines bool) string {
	if safetext.Hidden(s) < 0 && !strings.ContainsAny(s, `\"`) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		next := s[i+size:]
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == '"' && (!lines || next == "" || next[0] == '"'):
			b.WriteString(`\"`)
		case r == '\n' && lines, r == '\t' && lines:
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case !safetext.IsHidden(r):
			b.WriteString(s[i : i+size])
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
		i += size
	}
	return b.String()
}

// tomlIdent spells an id: as a number where it is one.
func tomlIdent(id string) string {
	if n, fault := tomltree.CanonicalInteger(id); fault == "" && n == id {
		return id
	}
	return tomlText(id, false)
}

// tomlList spells the items of a list of texts, or of ids.
func tomlList(list []string, ids bool) []string {
	items := make([]string, len(list))
	for i, s := range list {
		if ids {
			items[i] = tomlIdent(s)
		} else {
			items[i] = tomlText(s, false)
		}
	}
	return items
}

// tomlKey spells one name of a key.
func tomlKey(name string) string {
	if spelling.QuoteKey(name) == name {
		return name
	}
	return `"` + escapeTOML(strings.ToValidUTF8(name, "\uFFFD"), false) + `"`
}

// maxWritten is how deep values are written as such; what lies deeper becomes a
// text. Reading stops at [tomltree.MaxDepth].
const maxWritten = tomltree.MaxDepth - 4

// tomlValue spells the value of a setting on one line.
func tomlValue(v *plan.Value, depth int) string {
	switch v.Kind {
	case tomltree.Array:
		if depth < maxWritten {
			return "[" + strings.Join(tomlValues(v, depth+1), ", ") + "]"
		}
		return tomlText("["+strings.Join(tomlValues(v, depth+1), ", ")+"]", false)
	case tomltree.Table:
		if len(v.List) < 2 {
			return "{}"
		}
		if depth < maxWritten {
			return tomlTree(treeOf([]plan.Setting{{Key: "v", Value: *v}}, nil).kids[0], depth+1)
		}
		return tomlText("{"+strings.Join(tomlValues(v, depth+1), ", ")+"}", false)
	case tomltree.Integer:
		if n, fault := tomltree.CanonicalInteger(v.Text); fault == "" {
			return n
		}
	case tomltree.Float:
		if f, fault := tomltree.CanonicalFloat(v.Text); fault == "" {
			return plainFloat(f)
		}
	case tomltree.Boolean:
		if v.Text == "true" || v.Text == "false" {
			return v.Text
		}
	case tomltree.Datetime:
		if t, fault := tomltree.CanonicalTime(v.Text); fault == "" {
			return t
		}
	}
	return tomlText(v.Text, false)
}

// tomlValues spells the items of a list.
func tomlValues(v *plan.Value, depth int) []string {
	items := make([]string, len(v.List))
	for i := range v.List {
		items[i] = tomlValue(&v.List[i], depth)
	}
	return items
}

// plainFloat spells a number without an exponent where that is as short.
func plainFloat(canonical string) string {
	f, err := strconv.ParseFloat(canonical, 64)
	if err != nil {
		return canonical
	}
	plain := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(plain, ".") {
		plain += ".0"
	}
	if len(plain) > 12 {
		return canonical
	}
	return plain
}

// braces is a table on one line.
func braces(parts []string) string {
	if len(parts) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}
