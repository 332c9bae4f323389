// Package wordlist has sets of words that are made when they are first asked, so
// that no program pays for them that never does.
package wordlist

import (
	"strings"
	"sync"
)

// A List is the set of the words of a text, which are parted by white space. It
// may be asked concurrently.
type List struct {
	Text string
	once sync.Once
	set  map[string]bool
}

// Has reports whether a word is one of them.
func (l *List) Has(word string) bool {
	l.once.Do(func() {
		l.set = map[string]bool{}
		for w := range strings.FieldsSeq(l.Text) {
			l.set[w] = true
		}
	})
	return l.set[word]
}
