package paths

import (
	"strings"
	"sync"
	"unicode"
)

// Fold maps names that some file systems take for one to the same text: case
// does not count, and where a name is written with combining marks, neither do
// the marks and their letters' composed forms.
func Fold(name string) string {
	name = strings.ToLower(name)
	ascii := true
	for i := range len(name) {
		ascii = ascii && name[i] < 0x80
	}
	if ascii {
		return name
	}
	bases := composed()
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		if base, ok := bases[r]; ok {
			return base
		}
		return r
	}, name)
}

// composed maps the lower-case Latin letters that carry a mark to the letter
// without it.
var composed = sync.OnceValue(func() map[rune]rune {
	m := map[rune]rune{}
	for base, letters := range map[rune]string{ // in any order: no letter is there twice
		'a': "àáâãäåāăą", 'c': "çćĉċč", 'd': "ď", 'e': "èéêëēĕėęě", 'g': "ĝğġģ", 'h': "ĥ", 'i': "ìíîïĩīĭį", 'j': "ĵ",
		'k': "ķ",
		'l': "ĺļľ", 'n': "ñńņň", 'o': "òóôõöōŏő", 'r': "ŕŗř", 's': "śŝşš", 't': "ţť", 'u': "ùúûüũūŭůűų", 'w': "ŵ",
		'y': "ýÿŷ", 'z': "źżž",
	} {
		for _, r := range letters {
			m[r] = base
		}
	}
	return m
})

// Lookalike reports whether two names with the same fold may be one: they
// differ in case only, or one of them is written with combining marks.
func Lookalike(a, b string) bool {
	marked := func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Mn, r) })
	}
	return strings.EqualFold(a, b) || marked(a) || marked(b)
}
