package document_test

import (
	"bytes"
	"io"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A drawing is the function of a document.
type drawing = func(io.Writer, *document.Model) error

// A drawnFile is a document of a run with its content.
type drawnFile struct {
	Name    string
	Content []byte
}

func table() []document.Document { return append(document.All(), html.Page()) }

// asked are all documents, those that are drawn when somebody asks too.
func asked() []document.Document { return append(table(), document.ForCI()...) }

// all draws all documents of a run.
func all(p *plan.Plan, r *history.Run) ([]drawnFile, error) {
	m, err := document.New(p, r, nil)
	if err != nil {
		return nil, err
	}
	var files []drawnFile
	for _, f := range document.Files(asked(), m) {
		var b bytes.Buffer
		if err := f.Draw(&b); err != nil {
			return nil, err
		}
		files = append(files, drawnFile{f.Name, b.Bytes()})
	}
	return files, nil
}

// as draws one document of a run.
func as(draw drawing, p *plan.Plan, r *history.Run) ([]byte, error) {
	m, err := document.New(p, r, nil)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = draw(&b, m)
	return b.Bytes(), err
}

// named is how the document of the table with this name is drawn.
func named(name string) drawing {
	for _, d := range asked() {
		if d.Name == name {
			return d.Draw
		}
	}
	panic("no document " + name)
}
