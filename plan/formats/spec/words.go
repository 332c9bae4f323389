package spec

import (
	"strings"
	"unicode"
)

// plain is a text as texts are compared: without backticks, with blanks as one, without one final period.
func plain(text string) string {
	return strings.TrimSpace(strings.TrimSuffix(spaced(text), "."))
}

// spaced is a text without backticks and with runs of blanks as one.
func spaced(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "")), " ")
}

func sameText(a, b string) bool { return a == b || plain(a) == plain(b) }

// slug is a title as programs call it: "Data & Storage" is data_storage.
func slug(text string) string { return strings.Join(wordsOf(text), "_") }

// wordsOf are the words of a text in small letters.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// buildWords make a goal one that builds software; whole words only.
var buildWords = map[string]bool{"build": true, "create": true, "develop": true, "system": true, "application": true, "app": true}

// buildWord finds the word that makes a goal one that builds software, or "".
func buildWord(goal string) string {
	for _, w := range wordsOf(goal) {
		if buildWords[w] {
			return w
		}
	}
	return ""
}
