package plan

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Schema is the JSON schema (draft 7) of the native format, for editors. It is made of the tables
// that the reader uses.
func Schema() []byte {
	root := object(planKeys.fields())
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

func object(fields []field, open bool) []pair {
	var properties ordered
	for _, f := range fields {
		properties = append(properties, pair{f.name, ordered(append(describe(f.shape), pair{"description", f.doc}))})
	}
	o := []pair{{"type", "object"}}
	if len(properties) > 0 {
		o = append(o, pair{"properties", properties})
	}
	return append(o, pair{"additionalProperties", open})
}

func describe(s shape) []pair {
	if s.fields != nil {
		return object(s.fields())
	}
	var p []pair
	if len(s.types) == 1 {
		p = append(p, pair{"type", s.types[0]})
	} else {
		p = append(p, pair{"type", s.types})
	}
	if s.enum != nil {
		p = append(p, pair{"enum", slices.Clone(s.enum)})
	}
	if s.items != nil {
		p = append(p, pair{"items", ordered(describe(*s.items))})
	}
	if s.min != nil {
		p = append(p, pair{"minimum", *s.min})
	}
	if s.max != nil && *s.max != many {
		p = append(p, pair{"maximum", *s.max})
	}
	if s.format == "duration" {
		p = append(p, pair{"pattern", `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`})
	}
	return p
}
