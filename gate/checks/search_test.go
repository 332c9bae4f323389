package checks

import (
	"strings"
	"testing"
	"testing/quick"
)

// However a stream is cut into pieces, search finds what is in it.
func TestSearchFindsAcrossPieces(t *testing.T) {
	err := quick.Check(func(before, after string, cuts []byte) bool {
		const text = "needle"
		all := strings.ReplaceAll(before, text, "") + text + after
		s := &search{text: text}
		for _, c := range cuts {
			n := min(int(c)%4, len(all))
			s.Write([]byte(all[:n]))
			all = all[n:]
		}
		s.Write([]byte(all))
		return s.found
	}, nil)
	if err != nil {
		t.Error(err)
	}
	s := &search{text: "needle"}
	for _, p := range []string{"need", "", "el", "nee", "dl"} {
		s.Write([]byte(p))
	}
	if s.found {
		t.Error("found what is not there")
	}
}
