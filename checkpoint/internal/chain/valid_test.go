package chain

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

var validSeeds = []string{
	"", " ", "null", "nul", "nullx", "true", "tru", "false", "fals", `""`, `"`, `"\`, `"a\"b\\\/\b\f\n\r\t\u00Ef"`, `"\u00g0"`, `"\u00`, `"\x"`,
	"\"\x1f\"", "\"\xff\"", "\"\x00\"", "0", "-0", "01", "-", "1.", "1.5", ".5", "1e5", "1E+05", "1e", "1e-", "-12.50e-7", "+1", "[]", "[ ]", "[1,2 , 3]",
	"[1,]", "[,1]", "[", "[1", "]", "{}", "{ }", `{"a":1}`, `{"a" : 1 , "b":[{}]}`, `{"a":1,}`, `{"a"}`, `{1:2}`, `{"a":}`, `{`, `{"a":1`, `{]`, `[}`,
	" \t\r\n1\v", "1 1", "\x00", "1\x00", "[1}\x00", "\"é\"", "é", "[\"a\",[{\"b\":null}],true]",
}

func TestValidJSON(t *testing.T) {
	for _, s := range append([]string{
		strings.Repeat("[", maxNesting) + strings.Repeat("]", maxNesting),
		strings.Repeat("[", maxNesting+1) + strings.Repeat("]", maxNesting+1),
		strings.Repeat(`{"a":`, maxNesting) + "1" + strings.Repeat("}", maxNesting),
		strings.Repeat("[", 1<<20),
	}, validSeeds...) {
		if got, want := validJSON([]byte(s)), json.Valid([]byte(s)); got != want {
			t.Errorf("%.60q: %v, want %v", s, got, want)
		}
	}
}

func FuzzValidJSON(f *testing.F) {
	for _, s := range validSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := validJSON(b), json.Valid(b); got != want {
			t.Fatalf("%q: %v, want %v", b, got, want)
		}
	})
}

// What is tight is what json.Compact leaves as it is.
func TestTightJSON(t *testing.T) {
	for _, s := range validSeeds {
		holdTight(t, []byte(s))
	}
}

func FuzzTightJSON(f *testing.F) {
	for _, s := range validSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(holdTight)
}

func holdTight(t *testing.T, text []byte) {
	t.Helper()
	var b bytes.Buffer
	want := json.Compact(&b, text) == nil && bytes.Equal(b.Bytes(), text)
	if got := tightJSON(text); got != want {
		t.Errorf("%q: %v, want %v", text, got, want)
	}
}

func BenchmarkValidJSON(b *testing.B) {
	text := []byte(`{"plan":"sha256:0123456789abcdef","reasons":["one reason","another \"one\""],"seconds":12.5,"ok":true}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if !validJSON(text) {
			b.Fatal("not valid")
		}
	}
}
