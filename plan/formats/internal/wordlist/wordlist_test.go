package wordlist_test

import (
	"testing"

	"github.com/planlock/planlock/plan/formats/internal/wordlist"
)

func TestList(t *testing.T) {
	l := wordlist.List{Text: "a\n\tbb  c"}
	for word, want := range map[string]bool{"a": true, "bb": true, "c": true, "b": false, "": false, "a\n\tbb": false} {
		if l.Has(word) != want {
			t.Errorf("%q: %v, want %v", word, !want, want)
		}
	}
	if new(wordlist.List).Has("a") {
		t.Error("an empty list has a word")
	}
}
