package output

import (
	"bytes"
	"testing"
)

// TestVeil writes texts in one piece, byte by byte, and cut in two anywhere:
// all show the same, and no value.
func TestVeil(t *testing.T) {
	secrets := SecretsOf([]string{"A_TOKEN=abcdefgh", "B_TOKEN=abcdefghij", "C_KEY=line one\nline two", "D_SECRET=aaaaaaab", "SHORT_KEY=1234567", "PATH=/usr/bin:/bin"}).all
	for text, want := range map[string]string{
		"":                      "",
		"nothing":               "nothing",
		"abcdefgh":              "[A_TOKEN]",
		"abcdefghij":            "[B_TOKEN]",
		"abcdefghi":             "[A_TOKEN]i",
		"xabcdefghabcdefghijx":  "x[A_TOKEN][B_TOKEN]x",
		"abcdefg":               "abcdefg",
		"abcdabcdefghij":        "abcd[B_TOKEN]",
		"line one\nline two":    "[C_KEY]",
		"line one, line two":    "[C_KEY], [C_KEY]",
		"aaaaaaaaaaab":          "aaaa[D_SECRET]",
		"1234567 /usr/bin:/bin": "1234567 /usr/bin:/bin",
		"{\"type\":\"log\",\"text\":\"abcdefgh\"}": "{\"type\":\"log\",\"text\":\"[A_TOKEN]\"}",
	} {
		for cut := range len(text) + 1 {
			var got bytes.Buffer
			v := &veil{secrets: secrets, to: &got}
			v.Write([]byte(text[:cut]))
			v.Write([]byte(text[cut:]))
			v.flush()
			if got.String() != want {
				t.Errorf("%q cut at %d: %q, want %q", text, cut, got.String(), want)
			}
		}
		var got bytes.Buffer
		v := &veil{secrets: secrets, to: &got}
		for i := range len(text) {
			v.Write([]byte{text[i]})
		}
		v.flush()
		if got.String() != want {
			t.Errorf("%q byte by byte: %q, want %q", text, got.String(), want)
		}
	}
}

// A prompt without a newline is shown at once: only what may be a secret waits.
func TestVeilHoldsBackLittle(t *testing.T) {
	var got bytes.Buffer
	v := &veil{secrets: SecretsOf([]string{"A_TOKEN=abcdefgh"}).all, to: &got}
	v.Write([]byte("your name? "))
	if got.String() != "your name? " {
		t.Errorf("shown: %q", got.String())
	}
	v.Write([]byte("ab"))
	v.Write([]byte("c"))
	v.Write([]byte("x"))
	if got.String() != "your name? abcx" {
		t.Errorf("shown: %q", got.String())
	}
}
