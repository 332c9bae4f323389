package document

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/planlock/planlock/exec/safetext"
)

// toml writes a declaration as the lines of the plan that would hold it.
func (d declaration) toml() []string {
	out := []string{"# step " + safetext.Escape(d.Step)}
	var keys []string
	for _, part := range []struct {
		key   string
		paths []path
	}{{"create", d.Create}, {"modify", d.Modify}, {"delete", d.Delete}} {
		var quoted []string
		for _, p := range part.paths {
			if !utf8.ValidString(p.shown) {
				out = append(out, "# no plan can name "+safetext.Escape(p.shown)+": it is not UTF-8")
				continue
			}
			quoted = append(quoted, tomlString(p.shown))
		}
		if len(quoted) > 0 {
			keys = append(keys, part.key+" = ["+strings.Join(quoted, ", ")+"]")
		}
	}
	return append(out, "artifacts = { "+strings.Join(keys, ", ")+" }",
		"limits = { max_files = "+strconv.Itoa(d.MaxFiles)+", max_lines = "+strconv.Itoa(d.MaxLines)+" }")
}

// tomlString quotes s as a TOML basic string of visible characters.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// TOML is toml, for the page.
func (d declaration) TOML() []string { return d.toml() }
