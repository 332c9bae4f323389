package otlp

import (
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
)

// What both kinds of messages are made of, as OTLP writes it in JSON: ids in
// hexadecimal digits, integers of 64 bits as text.
type (
	about struct {
		Attributes []pair `json:"attributes,omitempty"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	pair struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		Text  *string  `json:"stringValue,omitempty"`
		Truth *bool    `json:"boolValue,omitempty"`
		Whole string   `json:"intValue,omitempty"`
		Float *float64 `json:"doubleValue,omitempty"`
	}
)

func aboutOf(r *resource.Resource) about { return about{pairs(r.Attributes())} }

func scopeOf(s instrumentation.Scope) scope { return scope{s.Name, s.Version} }

// pairs are attributes. Those of other kinds, which nobody uses here, are texts.
func pairs(attributes []attribute.KeyValue) []pair {
	var all []pair
	for _, a := range attributes {
		var v value
		switch a.Value.Type() {
		case attribute.BOOL:
			truth := a.Value.AsBool()
			v.Truth = &truth
		case attribute.INT64:
			v.Whole = strconv.FormatInt(a.Value.AsInt64(), 10)
		case attribute.FLOAT64:
			float := a.Value.AsFloat64()
			v.Float = &float
		default:
			text := a.Value.Emit()
			v.Text = &text
		}
		all = append(all, pair{string(a.Key), v})
	}
	return all
}

// nanoseconds is a time since 1970.
func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
