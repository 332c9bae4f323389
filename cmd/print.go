package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/planlock/planlock/exec/safetext"
	"github.com/planlock/planlock/plan"
)

// escaped is hostile text as a terminal may show it.
func escaped(text string) string { return safetext.Escape(text) }

func plural[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// oneOrMany is the word that goes with a number of things.
func oneOrMany(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

func orOpen(s plan.Status) plan.Status {
	if s == "" {
		return plan.Open
	}
	return s
}

// key is the path of an element of an array of tables.
func key(table string, i int) string { return fmt.Sprintf("%s[%d]", table, i) }

// writeJSON writes one indented document.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// writeLine writes one document on one line.
func writeLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// quoted is a word as it can be typed into a shell.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(escaped(word), "'", `'\''`) + "'"
}

// escapeGlob makes a path a pattern that matches nothing but itself.
func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// isTerminal reports whether a person sees what is written there, or types what
// is read there.
func (p *cli) isTerminal(stream any) bool {
	if s, ok := stream.(*sink); ok {
		stream = s.out
	}
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
