package agent

import (
	"cmp"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
)

// notDone is why an agent says that it did not do what it was told; "" where it
// does not say so.
func (h *heard) notDone() string {
	for line := range strings.Lines(h.word) {
		why, ok := h.saysOfItself(line, "NOT DONE:")
		if ok && !slices.Contains(nothing, strings.ToLower(strings.TrimRight(why, "."))) {
			return cmp.Or(why, "it does not say why")
		}
	}
	return ""
}

// nothing is what is not done where all is.
var nothing = []string{"none", "nothing", "n/a", "-"}

// note keeps the lines of a message that are for the notepad.
func (h *heard) note(text string) {
	for line := range strings.Lines(text) {
		for _, kind := range [...]struct {
			mark string
			to   *[]string
		}{{"INSIGHT:", &h.insights}, {"DECISION:", &h.decisions}} {
			said, ok := h.saysOfItself(strings.TrimLeft(line, " \t-*_"), kind.mark) // in lists, too
			if ok && said != "" && len(*kind.to) < exec.MaxNotes && !slices.Contains(*kind.to, said) {
				*kind.to = append(*kind.to, clip(said, 1<<10))
			}
		}
	}
}

// saysOfItself is what a line says behind a mark with which it begins, but for
// emphasis. A line of the prompt is nobody's word.
func (h *heard) saysOfItself(line, mark string) (text string, ok bool) {
	said, ok := strings.CutPrefix(strings.TrimPrefix(line, "**"), mark)
	said = strings.Trim(said, " \t\r\n*")
	if !ok || said != "" && strings.Contains(h.told, words(line)) {
		return "", false
	}
	return said, true
}

// words are those of a text between blanks, whatever Markdown puts around them.
func words(text string) string {
	var all strings.Builder
	all.WriteByte(' ')
	for word := range strings.FieldsSeq(text) {
		if word = strings.Trim(word, "-*`>_\".,"); word != "" {
			all.WriteString(word)
			all.WriteByte(' ')
		}
	}
	return all.String()
}

// promptWords are the words of the prompt of a piece of work without why earlier attempts
// failed: a word that one gave is the word of another, too.
func promptWords(w exec.Work) (string, error) {
	w.Feedback = nil
	text, err := first(w)
	return words(text), err
}
