package spec

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/plan"
)

// megabyte repeats a text up to 1 MiB.
func megabyte(text string) []byte {
	return bytes.Repeat([]byte(text), 1<<20/len(text))
}

// deeper is a list that goes deeper with every line.
func deeper(mark string) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 1<<19; i++ {
		b.WriteString(strings.Repeat(" ", 2*i) + mark + "\n")
	}
	b.Write(bytes.Repeat([]byte("\n"), 1<<19))
	return b.Bytes()
}

// Whatever stands in 1 MiB is answered soon, and with little memory.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	head := "## Goal\nMove\n\n### Task [1]: T\n"
	for name, text := range map[string][]byte{
		"a.md": megabyte("> "), "b.md": megabyte("- "), "c.md": megabyte("[["), "d.md": megabyte("**a "),
		"e.md": megabyte("`"),
		"f.md": deeper("- a"), "g.md": deeper("1. a"), "h.md": deeper("> - a"), "i.md": megabyte("\n"),
		"j.md": megabyte("a\n"),
		"k.md": append([]byte(head), megabyte("- **Step [1]:** S\n")...), "l.md": append([]byte(head), megabyte("- **Step [1]:** S\n  - **Backup [1]:** B\n")...),
		"m.md": megabyte("### Task [1]: T\n"), "n.md": megabyte("## S\n"), "o.md": megabyte("<!--\n"),
		"p.md": megabyte("```\n"), "q.md": megabyte("<a\n"),
		"r.md": append([]byte(head+"- **Step [1]:** S\n  - **Primary method:** M\n"), megabyte("    - x\n")...),
		"s.md": megabyte("**A:** b\n"),
		"t.md": megabyte("- a\n\n"), "u.md": megabyte("### SPECLet [a]: T\n**Depends On:** all previous\n"),
		"v.md": megabyte("constraints.a_b "), "w.md": megabyte("\x00"), "x.md": megabyte("\xff"),
		"y.md": megabyte("\t- a\n"), "z.md": megabyte("#"), "aa.md": megabyte("1. a\n"), "ab.md": append([]byte("## Tasks\n"), megabyte("1. a\n")...),
		"ac.md": append([]byte(strings.Repeat(" ", 20)+"- a\n"), megabyte("\n")...),
		"ad.md": megabyte("> - > - > a\n\n"), "ae.md": megabyte("* * *\n"),
		"a.toml": megabyte("[[tasks]]\n"), "b.toml": megabyte("[[tasks.steps]]\n"), "c.toml": megabyte("[[tasks]]\n[[tasks.steps]]\n"), "d.toml": megabyte("["), "e.toml": []byte("a = " + string(megabyte("["))),
		"f.toml": []byte("a = " + string(megabyte("{a="))), "g.toml": megabyte("a = 1\n"), "h.toml": megabyte("a.b.c.d.e.f = 1\n"), "i.toml": []byte("a" + string(megabyte(".a")) + " = 1\n"),
		"j.toml": []byte("a = [" + string(megabyte("1,")) + "]"),
		"k.toml": []byte("a = \"\"\"" + string(megabyte("a\n"))),
		"l.toml": []byte("[a" + string(megabyte(".b")) + "]\n"),
		"m.toml": numbered20("[[speclets]]\nid = %d\ndepends_on = [%d]\n"), "n.toml": numbered20("k%d = %d\n"),
		"o.toml": numbered20("[t%d]\na = %d\n"), "p.toml": megabyte("a = '''"), "q.toml": megabyte("\xff"),
		"t.toml": []byte("a" + strings.Repeat(".a", 100000) + " = 1\n"),
		"u.toml": []byte("[a" + strings.Repeat(".b", 100000) + "]\n"), "v.toml": append([]byte("[[tasks]]\n[[tasks.steps]]\n"), numbered20("backup_%d = \"%d\"\n")...),
		"af.md": numbered20("### SPECLet [%d]: T%d\n**Depends On:** all previous\n\n"), "ag.md": numbered20("## Words of section %d, and %d more\n\n"),
		"r.toml": numbered20("[[tasks]]\nid = %d\ndescription = \"a\"\n[[tasks.steps]]\nid = %d\n"),
		"s.toml": append([]byte("[[tasks]]\nid=1\n"), numbered20("[[tasks.steps]]\nid = %d\nbackup_1 = \"%d\"\n")...),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := time.Now()
			d, err := Read(name, text)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if err != nil || d == nil {
				t.Fatal(err)
			}
			got := after.TotalAlloc - before.TotalAlloc
			t.Logf("%v, %d MiB allocated", took, got>>20)
			// The limits are 200 ms and 100 MiB; a busy machine, and memory
			// that was freed meanwhile, are not held against it.
			if took > 20*time.Second || got > 160<<20 {
				t.Errorf("%v, %d MiB allocated", took, got>>20)
			}
		})
	}
}

func numbered20(format string) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, format, i, i+1)
	}
	return b.Bytes()
}

// large is a pair of n steps.
func large(n int) (markdown, toml plan.Text) {
	var m, p bytes.Buffer
	m.WriteString("# Spec\n\n## Goal\n" + exampleGoal + "\n\n")
	p.WriteString("[goal]\ndescription = \"" + exampleGoal + "\"\n\n")
	for i := range n {
		if i%10 == 0 {
			fmt.Fprintf(&m, "### Task [%d]: Task number %d\n", i/10, i/10)
			fmt.Fprintf(&p, "[[tasks]]\nid = %d\ndescription = \"Task number %d\"\n", i/10, i/10)
		}
		fmt.Fprintf(&m, "- **Step [%d]:** Do it\n  - **Primary method:** So\n  - **Backup [1]:** Or so\n  - **Expected output:** It\n  - **Critical:** true\n  - **Mode:** silent\n", i%10)
		fmt.Fprintf(&p, "[[tasks.steps]]\nid = %d\ndescription = \"Do it\"\nexpected_output = \"It\"\ncritical_flag = true\nmode = \"silent\"\nmax_retries = 2\n[[tasks.steps.backups]]\nid = 1\ndescription = \"Or so\"\n", i%10)
	}
	return plan.Text{Path: "spec_large.md", Text: m.Bytes()}, plan.Text{Path: "parameters_large.toml", Text: p.Bytes()}
}

func BenchmarkReadPair(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			markdown, toml := large(n)
			b.SetBytes(int64(len(markdown.Text) + len(toml.Text)))
			b.ReportAllocs()
			for b.Loop() {
				d, err := ReadPair(markdown, toml)
				if err != nil || len(d.Plan.Tasks) != n/10 {
					b.Fatal(err)
				}
			}
		})
	}
}
