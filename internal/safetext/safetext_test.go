package safetext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestEscape(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"plain":                    {"modify server/server.go", "modify server/server.go"},
		"empty":                    {"", ""},
		"other scripts":            {"größe 尺寸 µ → ✓ é", "größe 尺寸 µ → ✓ é"},
		"backslash stays":          {`C:\x1b`, `C:\x1b`},
		"colour":                   {"a\x1b[31mb", `a\x1b[31mb`},
		"title":                    {"\x1b]0;root\x07", `\x1b]0;root\x07`},
		"one-byte CSI":             {"\u009b2J", `\u009b2J`},
		"raw one-byte CSI":         {"\x9b2J", `\x9b2J`},
		"line ends":                {"a\r\nb\tc\n", `a\r\nb\tc\n`},
		"bidi":                     {"a\u202egpj.exe\u2066", `a\u202egpj.exe\u2066`},
		"zero width":               {"ad\u200bmin\u200d\ufeff", `ad\u200bmin\u200d\ufeff`},
		"line separators":          {"a\u2028b\u2029", `a\u2028b\u2029`},
		"invisible letters":        {"a\u3164\u115f\u2800", `a\u3164\u115f\u2800`},
		"tags":                     {"\U000e0041", `\U000e0041`},
		"private":                  {"\ue000", `\ue000`},
		"NUL and DEL":              {"\x00\x7f", `\x00\x7f`},
		"not UTF-8":                {"a\xff\xc3", `a\xff\xc3`},
		"replacement character":    {"\ufffd", "\ufffd"},
		"picture selector":         {"⚠\ufe0f a\ufe0f", "⚠\ufe0f a\\ufe0f"},
		"marks that climb":         {"e" + strings.Repeat("\u0301", 10), "e" + strings.Repeat("\u0301", 8) + `\u0301\u0301`},
		"hidden variation":         {"a\U000e0100", `a\U000e0100`},
		"hyperlink that lies":      {"\x1b]8;;http://evil\x1b\\good\x1b]8;;\x1b\\", `\x1b]8;;http://evil\x1b\good\x1b]8;;\x1b\`},
		"overlong and surrogates":  {"\xc0\x9b\xed\xa0\x80", `\xc0\x9b\xed\xa0\x80`},
		"soft hyphen, word joiner": {"a\u00adb\u2060", `a\u00adb\u2060`},
	} {
		if got := Escape(tc.in); got != tc.want {
			t.Errorf("%s: Escape(%q) = %q, want %q", name, tc.in, got, tc.want)
		}
	}
}

func TestJSON(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"plain":            {`{"a": ["größe 尺寸 ✓", 1]}`, `{"a": ["größe 尺寸 ✓", 1]}`},
		"escaped already":  {`"\u001b\n"`, `"\u001b\n"`},
		"DEL and C1":       {"\"\x7f\u009b2J\"", `"\u007f\u009b2J"`},
		"bidi":             {"{\"a\u202ek\": \"\u2066v\"}", `{"a\u202ek": "\u2066v"}`},
		"zero width":       {"\"ad\u200bmin\ufeff\"", `"ad\u200bmin\ufeff"`},
		"spaces":           {"\"a\u00a0b\u2003\u2028\"", `"a\u00a0b\u2003\u2028"`},
		"beyond a plane":   {"\"\U000e0041\U0001f600\"", `"\udb40\udc41` + "\U0001f600\""},
		"picture selector": {"\"⚠\ufe0f a\ufe0f\"", "\"⚠\ufe0f a\\ufe0f\""},
		"not UTF-8":        {"\"\x9b2J\ufffd\"", "\"\\ufffd2J\ufffd\""},
	} {
		if got := string(JSON([]byte(tc.in))); got != tc.want {
			t.Errorf("%s: JSON(%q) = %q, want %q", name, tc.in, got, tc.want)
		}
	}
}

// JSON means the same afterwards, and nothing in it is hidden.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{"a\u202eb", "\x7f\x9b", "⚠\ufe0f", "\U000e0041", "\\\"\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := json.Marshal(map[string]string{s: s})
		if err != nil {
			t.Fatal(err)
		}
		var before, after map[string]string
		safe := JSON(text)
		if err := errors.Join(json.Unmarshal(text, &before), json.Unmarshal(safe, &after)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, after); diff != "" || Hidden(string(safe)) >= 0 {
			t.Errorf("%q is %q: %s", text, safe, diff)
		}
		if again := JSON(safe); !bytes.Equal(safe, again) {
			t.Errorf("%q becomes %q", safe, again)
		}
	})
}

func TestLines(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"\n", []string{""}},
		{"a", []string{"a"}},
		{"a\r\nb\n\n", []string{"a", "b", ""}},
		{"a\rb\n\tc\x1b", []string{`a\rb`, `    c\x1b`}},
	} {
		if diff := cmp.Diff(tc.want, Lines(tc.in)); diff != "" {
			t.Errorf("Lines(%q) (-want +got):\n%s", tc.in, diff)
		}
	}
	if got, want := Indent("  | ", "a\nb\x1b"), "  | a\n  | b\\x1b\n"; got != want {
		t.Errorf("Indent = %q, want %q", got, want)
	}
}

func TestClip(t *testing.T) {
	for _, tc := range []struct {
		in      string
		columns int
		want    string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abcd", 1, "…"}, {"abcd", 0, ""}, {"", 0, ""}, {"abc", -1, ""},
		{"尺寸尺", 5, "尺寸…"}, {"尺寸尺", 4, "尺…"}, {"e\u0301e\u0301", 2, "e\u0301e\u0301"}, {"\x1b\x1b", 5, `\x1b…`},
	} {
		got := Clip(tc.in, tc.columns)
		if got != tc.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", tc.in, tc.columns, got, tc.want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("plain")
	f.Add("\x1b[2J\u202e\xff⚠\ufe0f")
	f.Fuzz(func(t *testing.T, s string) {
		got := Escape(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Escape(%q) = %q is not UTF-8", s, got)
		}
		for _, r := range got {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Fatalf("Escape(%q) = %q lets %U through", s, got, r)
			}
		}
		if again := Escape(got); again != got {
			t.Fatalf("Escape is not stable: %q, then %q", got, again)
		}
		for _, columns := range []int{0, 1, 7} {
			if w := Width(Clip(s, columns)); w > columns {
				t.Fatalf("Clip(%q, %d) takes %d columns", s, columns, w)
			}
		}
		if joined := strings.Join(Lines(s), ""); strings.ContainsAny(joined, "\n\r\t\x1b") {
			t.Fatalf("Lines(%q) = %q", s, joined)
		}
	})
}

func BenchmarkEscape(b *testing.B) {
	for name, s := range map[string]string{"plain": strings.Repeat("modify server.go ", 64), "hostile": strings.Repeat("\x1b[31m\u202e尺", 64)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Escape(s)
			}
		})
	}
}
