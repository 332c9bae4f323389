package syntax

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/planlock/planlock/internal/lazyre"
	"go.yaml.in/yaml/v3"
)

// parserOf finds the parser of a file of data by its name; nil if there is none.
// A parser returns nil for a file that parses.
func parserOf(p string) func(name string, content []byte) *fault {
	switch strings.ToLower(path.Ext(p)) {
	case ".json":
		return parseJSON
	case ".toml":
		return parseTOML
	case ".yaml", ".yml":
		return parseYAML
	case ".xml":
		return parseXML
	}
	return nil
}

// guard turns a panic of a parser into a fault: a hostile file must not end the
// run.
func guard(f **fault) {
	if r := recover(); r != nil {
		*f = &fault{1, fmt.Sprintf("the parser gave up: %v", r)}
	}
}

// parseJSON wants one value and nothing after it.
func parseJSON(_ string, content []byte) (f *fault) {
	defer guard(&f)
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	var value json.RawMessage
	err := json.Unmarshal(content, &value)
	var at *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &at):
		return &fault{lineAt(content, at.Offset), at.Error()}
	}
	return &fault{1, err.Error()}
}

func parseTOML(_ string, content []byte) (f *fault) {
	defer guard(&f)
	var value map[string]any
	err := toml.Unmarshal(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), &value)
	var at *toml.DecodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &at):
		line, _ := at.Position()
		return &fault{line, at.Error()}
	}
	return &fault{1, err.Error()}
}

var yamlLine = lazyre.New(`line (\d+)`)

// parseYAML reads every document of a stream, as nodes: aliases are not
// followed, so that no file can grow while it is read. The line is the parser's
// own, which for a bracket that is never closed may be the one before.
func parseYAML(_ string, content []byte) (f *fault) {
	defer guard(&f)
	for d := yaml.NewDecoder(bytes.NewReader(content)); ; {
		var node yaml.Node
		err := d.Decode(&node)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &fault{yamlLineOf(err), strings.TrimPrefix(err.Error(), "yaml: ")}
		}
	}
}

func yamlLineOf(err error) int {
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return n
		}
	}
	return 1
}

// parseXML wants one element, with all that it holds closed. Character sets
// other than UTF-8 are read byte by byte: they do not change where elements
// begin and end.
func parseXML(_ string, content []byte) (f *fault) {
	defer guard(&f)
	d := xml.NewDecoder(bytes.NewReader(content))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return latin{r}, nil }
	roots, depth := 0, 0
	for {
		t, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && roots == 1:
			return nil
		case errors.Is(err, io.EOF):
			return &fault{lineAt(content, d.InputOffset()),
				fmt.Sprintf("%d root elements, where there must be one", roots)}
		case err != nil:
			line, _ := d.InputPos()
			return &fault{line, err.Error()}
		}
		switch t.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			depth++
		case xml.EndElement:
			depth--
		}
	}
}

// latin lets ASCII through and replaces every other byte.
type latin struct{ io.Reader }

func (l latin) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	for i := range p[:n] {
		if p[i] >= 0x80 {
			p[i] = '?'
		}
	}
	return n, err
}

// lineAt is the line of an offset, from 1.
func lineAt(content []byte, offset int64) int {
	return 1 + bytes.Count(content[:max(0, min(offset, int64(len(content))))], []byte("\n"))
}

// A fault is where a file does not parse, and why.
type fault struct {
	line int
	why  string
}
