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

var (
	repeatWords = map[string]bool{"again": true, "retry": true, "repeat": true, "rerun": true, "redo": true, "reattempt": true, "retries": true}
	emptyWords  = map[string]bool{"a": true, "an": true, "the": true, "this": true, "that": true, "it": true, "same": true, "step": true, "steps": true,
		"primary": true, "method": true, "approach": true, "action": true, "operation": true, "task": true, "command": true, "try": true, "run": true,
		"do": true, "execute": true, "attempt": true, "perform": true, "once": true, "more": true, "another": true, "one": true, "second": true,
		"time": true, "times": true, "twice": true, "simply": true, "just": true, "please": true, "and": true, "then": true, "to": true, "of": true,
		"with": true, "if": true, "fails": true, "failed": true, "failure": true, "on": true, "after": true, "wait": true, "delay": true, "up": true,
		"first": true, "original": true, "previous": true, "until": true, "succeeds": true, "works": true, "or": true}
)

// OnlyRepeats reports whether the description of a backup says nothing but that the same method is to be tried again.
func OnlyRepeats(text string) bool {
	if len(text) > 200 {
		return false
	}
	repeats := false
	words := wordsOf(text)
	for i, w := range words {
		more := w == "more" && i > 0 && words[i-1] == "once" || w == "time" && i > 0 && words[i-1] == "another"
		repeats = repeats || more || repeatWords[w]
		if !repeatWords[w] && !emptyWords[w] && !isNumber(w) {
			return false
		}
	}
	return repeats
}
