package jsontree

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlaces(t *testing.T) {
	src := `{"a": [1, "x\ny", {"b": null}], "a": true}`
	v, err := ParseAll(src)
	if err != nil {
		t.Fatal(err)
	}
	if a := v.Get("a"); a.Kind() != Bool || a.KeyOffset() != 32 || a.Offset() != 37 || a.Raw() != "true" {
		t.Errorf("the last a is %s at %d, %d", a.Raw(), a.KeyOffset(), a.Offset())
	}
	var got []string
	for m := range v.Each {
		for it := range m.Each {
			got = append(got, it.Kind().String()+" "+it.Text())
		}
	}
	if want := []string{"a number 1", "a text x\ny", "an object "}; !reflect.DeepEqual(want, got) {
		t.Errorf("%q", got)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		reason string
	}{
		{"[1, ...]", 4, "ellipsis"}, {"[1,]", 3, "too many"}, {`{"a": 1,}`, 8, "too many"}, {"{a: 1}", 1, "double quotes"},
		{"['a']", 1, "single quotes"}, {"[1 2]", 3, "missing before"}, {"[", 1, "ends"}, {`["a`, 3, "ends inside"}, {"[1] 2", 4, "more behind"},
		{"[01]", 1, "no number"}, {`["\q"]`, 3, "no escape"}, {"[\"a\nb\"]", 3, "line end"},
		{"// x\n[]", 0, "comment"}, {`{"a" 1}`, 5, "colon"},
		{strings.Repeat("[", MaxDepth+2), MaxDepth + 1, "nested"}, {"", 0, "ends"},
	} {
		_, err := ParseAll(c.text)
		var bad *Error
		if !errors.As(err, &bad) || bad.Offset != c.offset || !strings.Contains(bad.Reason, c.reason) {
			t.Errorf("%.20q: %v, want %q at %d", c.text, err, c.reason, c.offset)
		}
	}
}

func TestStrict(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		reason string
	}{
		{`{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}], "A": 1}`, 0, ""}, {`"\ud800 \ufffd"`, 0, ""}, {`null`, 0, ""},
		{`{"a": 1, "a": 1}`, 9, `the name "a" stands twice`}, {`{"a": 1, "\u0061": 2}`, 9, `the name "a" stands twice`},
		{`[{"b": {"x": 1, "y": 2, "x": 3}}]`, 24, `"x" stands twice`}, {`{"": 1, "": 2}`, 8, `"" stands twice`},
		{"{\"a\": \"\xff\"}", 7, "0xff is not UTF-8"}, {" {\"\xc3\": 1}", 3, "0xc3 is not UTF-8"}, {"[\"\xed\xa0\x80\"]", 2, "0xed"},
		{`{"a": 1} {}`, 9, "more behind"},
	} {
		v, err := ParseStrict(c.text)
		var bad *Error
		if c.reason == "" {
			if err != nil || !v.OK() {
				t.Errorf("%q: %v", c.text, err)
			}
		} else if !errors.As(err, &bad) || bad.Offset != c.offset || !strings.Contains(bad.Reason, c.reason) || v.OK() {
			t.Errorf("%q: %v, want %q at %d", c.text, err, c.reason, c.offset)
		}
	}
}

// FuzzAgainstStandard holds that this reader accepts what encoding/json
// accepts, and means the same by it.
func FuzzAgainstStandard(f *testing.F) {
	for _, s := range []string{`{"a":[1,-0.5e+3,"\u00e9\ud83d\ude00\ud800x",true,null]}`, `[{}, [], ""]`, `[01]`, `{"a":1,}`, "\"\x7f\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.Count(text, "[")+strings.Count(text, "{") > MaxDepth {
			t.Skip()
		}
		v, err := ParseAll(text)
		var want any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if valid := json.Valid([]byte(text)); valid != (err == nil) {
			t.Fatalf("%q: %v, valid %v", text, err, valid)
		}
		if err != nil {
			return
		}
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := plain(v); !reflect.DeepEqual(want, got) {
			t.Errorf("%q: %#v, want %#v", text, got, want)
		}
	})
}

func plain(v Value) any {
	switch v.Kind() {
	case Null:
		return nil
	case Bool:
		return v.Text() == "true"
	case Number:
		return json.Number(v.Text())
	case String:
		return v.Text()
	case Array:
		list := []any{}
		for it := range v.Each {
			list = append(list, plain(it))
		}
		return list
	}
	m := map[string]any{}
	for it := range v.Each {
		m[it.Key()] = plain(it)
	}
	return m
}
