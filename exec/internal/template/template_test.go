package template_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/planlock/planlock/exec/internal/template"
)

type page struct {
	Title string
	Lines []line
	Owner *line
	At    time.Time
	Any   any
}

type line struct {
	Text string
	N    int
}

// shout is an escape that a test sees.
func shout(s string) string { return strings.ToUpper(s) }

func draw(t *testing.T, text string, data any) (string, error) {
	t.Helper()
	set, err := template.Parse(fstest.MapFS{"all/page": {Data: []byte(text)}}, "all/*")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = set.Draw(&out, "page", data, shout, map[string]any{
		"safe":  func(s string) template.Safe { return template.Safe(s) },
		"twice": func(s string) string { return s + s },
		"lines": func(n int) []line { return make([]line, n) },
	})
	return out.String(), err
}

func TestDraw(t *testing.T) {
	data := page{Title: "a", Lines: []line{{"x", 1}, {"y", 2}}, Owner: &line{"o", 3}, Any: line{"any", 4}}
	for text, want := range map[string]string{
		"words {{.Title}}":                                                                    "words A",
		"{{safe .Title}} {{twice .Title}}":                                                    "a AA",
		"{{.Title | twice | safe}}":                                                           "aa",
		"{{range .Lines}}{{.Text}}{{.N}} {{end}}":                                             "X1 Y2 ",
		"{{range $i, $l := .Lines}}{{$i}}{{$l.Text}}{{end}}":                                  "0X1Y",
		"{{range lines 0}}some{{else}}none{{end}}":                                            "none",
		"{{with .Owner}}{{.Text}}{{end}}":                                                     "O",
		"{{with .Any}}{{.Text}}{{end}}":                                                       "ANY",
		"{{if .At}}then{{else if .Title}}titled{{end}}":                                       "titled",
		"{{$n := true}}{{range .Lines}}{{$n = false}}{{end}}{{if $n}}none{{else}}some{{end}}": "some",
		"{{template \"part\" .Owner}}{{define \"part\"}}{{range lines 1}}{{$.Text}}{{end}}{{.N}}{{end}}": "O3",
	} {
		if got, err := draw(t, text, data); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestWhatIsNotThere: what a template asks for and does not get is an error,
// not a gap.
func TestWhatIsNotThere(t *testing.T) {
	for text, want := range map[string]string{
		"{{.None}}":                        "no field None",
		"{{none}}":                         "no function none",
		"{{twice}}":                        "takes 1 arguments",
		"{{.Owner.Text}}":                  "nothing to have a field Text",
		"{{template \"none\"}}":            "no template \"none\"",
		"{{.Title .Title}}":                "is no function",
		"{{range .Lines}}{{break}}{{end}}": "is not understood",
	} {
		if _, err := draw(t, text, page{Lines: make([]line, 1)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := template.Parse(fstest.MapFS{"all/page": {Data: []byte("{{if}}")}}, "all/*"); err == nil {
		t.Error("a template that is none is read")
	}
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWritersFail(t *testing.T) {
	set, err := template.Parse(fstest.MapFS{"all/page": {Data: []byte("text")}}, "all/*")
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Draw(broken{}, "page", nil, shout, nil); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}
