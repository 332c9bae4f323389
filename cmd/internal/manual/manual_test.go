package manual

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/planlock/planlock/cmd/internal/usage"
)

var page1 = Page{Version: "1.2", Common: []usage.Flag{{Name: "help", Short: "h", Help: "says more"}},
	Commands: []usage.Command{
		{Group: "A run", Name: "run", Args: "PATH", Does: "runs a \"plan\"",
			Examples: []string{`planlock run 'a\b' -o .x`},
			Flags: []usage.Flag{
				{Name: "dir", Placeholder: "FOLDER", Help: ".planlock lies in it", Default: "."},
				{Name: "quiet", Help: "'tis said; C:\\n stays"}}},
		{Group: "A run", Name: "gc", Does: "frees"},
	}}

// TestDraw: nothing that is said is taken for a request.
func TestDraw(t *testing.T) {
	var drawn bytes.Buffer
	if err := page1.Draw(&drawn); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`.BI "run" " PATH"`, "\nruns a \"plan\"\n", `    planlock run 'a\eb' \-o .x`, `.SH "planlock run PATH"`,
		`.BI "\-\-dir" " FOLDER"` + "\n" + `\&.planlock lies in it (default .)`, "\n" + `\&'tis said; C:\en stays`,
		`.BI "\-h, \-\-help" " "`, `.SS "A run"`, "planlock 1.2", ".B 130, 143"} {
		if !strings.Contains(drawn.String(), want) {
			t.Errorf("the page does not have %q:\n%s", want, drawn.String())
		}
	}
	if strings.Contains(drawn.String(), "planlock gc") {
		t.Error("a command of which no more is said has a section")
	}
	if got := strings.Count(drawn.String(), `.SS "A run"`); got != 1 {
		t.Errorf("the group begins %d times", got)
	}
	Check(t, drawn.Bytes())
}

// Check has the programs that are here read a page.
func Check(t *testing.T, page []byte) {
	t.Helper()
	for _, args := range [][]string{{"groff", "-man", "-ww", "-z", "-K", "utf8"},
		{"mandoc", "-T", "lint", "-W", "warning"}} {
		path, err := exec.LookPath(args[0])
		if err != nil {
			continue
		}
		c := exec.CommandContext(t.Context(), path, args[1:]...)
		c.Stdin = bytes.NewReader(page)
		if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", args[0], err, out)
		}
	}
}
