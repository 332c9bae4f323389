package lazyre_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/internal/lazyre"
)

// An expression is a regular expression of either package.
type expression interface {
	Find(b []byte) []byte
	FindString(s string) string
	FindAllString(s string, n int) []string
	FindStringSubmatch(s string) []string
	FindStringSubmatchIndex(s string) []int
	FindAllStringSubmatch(s string, n int) [][]string
	Match(b []byte) bool
	MatchString(s string) bool
	ReplaceAllString(s, by string) string
	ReplaceAllStringFunc(s string, by func(string) string) string
}

// TestSameAnswers holds every method against that of package regexp.
func TestSameAnswers(t *testing.T) {
	answers := func(re expression, text string) []any {
		return []any{re.Find([]byte(text)), re.FindString(text), re.FindAllString(text, -1),
			re.FindAllString(text, 1), re.FindStringSubmatch(text),
			re.FindStringSubmatchIndex(text), re.FindAllStringSubmatch(text, -1), re.FindAllStringSubmatch(text, 1),
			re.Match([]byte(text)),
			re.MatchString(text), re.ReplaceAllString(text, "<$1>"), re.ReplaceAllStringFunc(text, strings.ToUpper)}
	}
	for _, pattern := range []string{``, `(\w)b`, `^(?i:step)\s+(\d+)`, `x*`} {
		for _, text := range []string{"", "ab cb", "Step 12: xx", "none\nof it"} {
			t.Run(fmt.Sprintf("%q in %q", pattern, text), func(t *testing.T) {
				if d := cmp.Diff(answers(regexp.MustCompile(pattern), text), answers(lazyre.New(pattern), text)); d != "" {
					t.Errorf("other answers than those of regexp (-regexp +lazyre):\n%s", d)
				}
			})
		}
	}
}

func TestCompilesWhenFirstUsed(t *testing.T) {
	wrong := lazyre.New(`(`)
	defer func() {
		if why := fmt.Sprint(recover()); !strings.Contains(why, "missing closing )") {
			t.Errorf("a wrong pattern panicked with %q", why)
		}
	}()
	wrong.MatchString("")
	t.Error("a wrong pattern matched")
}

func TestSeveralAtOnce(t *testing.T) {
	re := lazyre.New(`^\d+$`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if !re.MatchString("12") || re.MatchString("x") {
				t.Error("it does not match as it should")
			}
		})
	}
	all.Wait()
}

// TestCostsNothingMore holds that a match needs no memory, as one by package
// regexp does not.
func TestCostsNothingMore(t *testing.T) {
	re := lazyre.New(`^\d+$`)
	if n := testing.AllocsPerRun(100, func() { re.MatchString("12") }); n != 0 {
		t.Errorf("a match allocates %v times, want none", n)
	}
}
