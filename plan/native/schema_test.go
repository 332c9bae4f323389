package native

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
)

// The schema for editors is drawn from the keys.
func TestSchemaPage(t *testing.T) {
	schema := schemaOf()
	if !json.Valid(schema) {
		t.Fatal("not JSON")
	}
	golden(t, "../../docs/plan.schema.json", schema)
}

// schemaOf is the JSON schema (draft 7) of the native format, for editors. It is
// made of the tables that the reader uses.
func schemaOf() []byte {
	root := object(keyField{Fields: fieldsOf()})
	root = append([]pair{
		{"$schema", "http://json-schema.org/draft-07/schema#"},
		{"$id", "https://raw.githubusercontent.com/planlock/planlock/main/docs/plan.schema.json"},
		{"title", "planlock plan"},
	}, root...)
	root = append(root, pair{"required", []string{"schema", "goal", "tasks"}})
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	e.Encode(ordered(root)) // of text, numbers and lists: cannot fail
	return b.Bytes()
}

// An ordered is a JSON object that keeps the order of its keys.
type ordered []pair

type pair struct {
	key   string
	value any
}

func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(p.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func object(table keyField) []pair {
	var properties ordered
	for _, f := range table.Fields {
		properties = append(properties, pair{f.Name, ordered(append(describeJSON(f), pair{"description", f.Doc}))})
	}
	o := []pair{{"type", "object"}}
	if len(properties) > 0 {
		o = append(o, pair{"properties", properties})
	}
	return append(o, pair{"additionalProperties", table.Open})
}

func describeJSON(f keyField) []pair {
	var p []pair
	switch {
	case f.Types[0] == "object":
		return object(f)
	case len(f.Types) == 1:
		p = append(p, pair{"type", f.Types[0]})
	default:
		p = append(p, pair{"type", f.Types})
	}
	if f.Words != nil {
		p = append(p, pair{"enum", f.Words})
	}
	if f.Items != nil {
		p = append(p, pair{"items", ordered(describeJSON(*f.Items))})
	}
	if f.Types[0] == "integer" {
		p = append(p, pair{"minimum", f.Min})
		if f.Max != math.MaxInt32 {
			p = append(p, pair{"maximum", f.Max})
		}
	}
	if f.Format == "duration" {
		p = append(p, pair{"pattern", `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`})
	}
	return p
}
