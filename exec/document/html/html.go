// Package html draws the report of a run as one page that needs nothing else:
// no scripts, no fonts, no network.
//
// It is a package of its own, since templates of HTML weigh more than all other
// documents. Who wants the page adds it to the table of documents:
//
//	c := exec.Controller{Dir: ".", Executors: exec.Default(&shell.Executor{}),
//		Documents: append(document.All(), html.Page())}
package html

import (
	_ "embed" // the page, its parts and its style
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/planlock/planlock/exec/document"
)

//go:embed page.html
var page string

//go:embed parts.html
var parts string

//go:embed style.css
var style string

// Style is the style sheet of the parts.
func Style() string { return style }

// Parts are the parts that pages about a run are made of, for a page of the
// caller's own: "summary", "graph", "timeline", "spending", each of a [document.Page]; and
// "step", "gates", "question" of what it holds.
func Parts() *template.Template {
	return template.Must(template.New("parts").Funcs(document.Page{}.Functions()).Parse(parts))
}

// parsed is read by those processes alone that draw a page.
var parsed = sync.OnceValue(func() *template.Template {
	return template.Must(Parts().New("page").Parse(page))
})

// Page is the row of the page in the table of documents.
func Page() document.Document {
	return document.Document{Name: "report.html", Draw: draw,
		For: "people: one page with the graph, the timeline and all that the journal has; no scripts, nothing loaded"}
}

// draw draws the page.
func draw(w io.Writer, m *document.Model) error {
	data := struct {
		document.Page
		Style template.CSS
	}{document.NewPage(m), template.CSS(style)}
	if err := parsed().Execute(w, data); err != nil {
		return fmt.Errorf("html: %w", err)
	}
	return nil
}
