package environ

import (
	"slices"
	"strings"
)

// secretWords end a part of the name of a variable whose value is nobody's
// business.
var secretWords = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "KEY"}

// Secret reports whether the name of a variable says that its value is a
// secret: whether one of its parts, which _ divides, ends in TOKEN, SECRET,
// PASSWORD, PASSWD, PASSPHRASE, CREDENTIAL or KEY, in any case, in the singular
// or with an S.
func Secret(name string) bool {
	for part := range strings.SplitSeq(strings.ToUpper(name), "_") {
		part = strings.TrimSuffix(part, "S")
		if slices.ContainsFunc(secretWords, func(word string) bool { return strings.HasSuffix(part, word) }) {
			return true
		}
	}
	return false
}
