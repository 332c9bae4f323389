package syntax

import (
	"strings"
	"testing"
)

func FuzzParsers(f *testing.F) {
	for _, s := range []string{"", "{}", "[[a]]\nb = [1,{c=2}]", "a: &x [*x, *x]\nb: *x", "<a><b/></a>", "<?xml version='1.0' encoding='x'?><a/>",
		"\xef\xbb\xbf{}", "\xff\xfe", strings.Repeat("[", 20000), strings.Repeat("<a>", 5000), "a: " + strings.Repeat("{a: ", 3000), "<!DOCTYPE a [<!ENTITY b '&b;'>]><a>&b;</a>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lines := 2 + strings.Count(s, "\n") + strings.Count(s, "\r") + strings.Count(s, "\u0085") + strings.Count(s, "\u2028") + strings.Count(s, "\u2029")
		for _, name := range []string{"a.json", "a.toml", "a.yaml", "a.xml"} {
			if fault := parserOf(name)(name, []byte(s)); fault != nil &&
				(fault.why == "" || fault.line < 0 || fault.line > lines) {
				t.Errorf("%s: fault %+v in %d lines", name, fault, lines)
			}
		}
	})
}

// Files that are small to write must be small to read.
func TestParsersSurviveBombs(t *testing.T) {
	bombs := map[string]string{
		"deep.json":   strings.Repeat("[", 1<<20),
		"deep.toml":   "a = " + strings.Repeat("[", 1<<16),
		"deep.yaml":   strings.Repeat("[", 1<<16),
		"deep.xml":    strings.Repeat("<a>", 1<<18),
		"laughs.yaml": "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n",
		"laughs.xml":  "<!DOCTYPE l [<!ENTITY a 'x'><!ENTITY b '&a;&a;&a;'>]>\n<l>&b;</l>",
	}
	for name, content := range bombs {
		fault := parserOf(name)(name, []byte(content))
		if strings.HasPrefix(name, "deep") && fault == nil {
			t.Errorf("%s parses, though it is never closed", name)
		}
	}
}
