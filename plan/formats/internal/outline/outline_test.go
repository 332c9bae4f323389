package outline

import (
	"reflect"
	"strings"
	"testing"
)

func TestHidden(t *testing.T) {
	text := "a\n```go\nb\n~~~\n````x\n````\nc\n~~~~\n~~~\n~~~~~ \nd\n<!-- e\nf -->\ng\n<!-- h -->\ni\n``` `\nj\n"
	var shown []string
	tx := New("x", []byte("\ufeff"+strings.ReplaceAll(text, "\n", "\r\n")))
	for i, l := range tx.Lines {
		if !l.Hidden {
			shown = append(shown, tx.Line(i))
		}
	}
	if want := []string{"a", "c", "d", "g", "i", "``` `", "j"}; !reflect.DeepEqual(want, shown) {
		t.Errorf("%q", shown)
	}
}

// A fence may stand behind the marks of lists and quotes; it ends with its
// quote.
func TestHiddenBehindMarks(t *testing.T) {
	tx := New("x", []byte("- ```sh\n  a\n  ```\nb\n> ~~~\n> c\nd\n- x ``` y\ne\n"))
	var shown []string
	for i, l := range tx.Lines {
		if !l.Hidden {
			shown = append(shown, tx.Line(i))
		}
	}
	if want := []string{"b", "d", "- x ``` y", "e"}; !reflect.DeepEqual(want, shown) {
		t.Errorf("%q", shown)
	}
}

func TestHeading(t *testing.T) {
	for _, c := range []struct {
		line  string
		level int
		text  string
	}{{"## A b ##", 2, "A b"}, {"#", 1, ""}, {"####### x", 0, ""}, {"#x", 0, ""}, {"   # C#", 1, "C#"}, {"    # x", 0, ""}, {"# ##", 1, ""}, {"x", 0, ""}} {
		if level, text := Heading(c.line); level != c.level || text != c.text {
			t.Errorf("%q: %d %q", c.line, level, text)
		}
	}
}

func TestListItem(t *testing.T) {
	for _, c := range []struct {
		line string
		want Item
		ok   bool
	}{
		{"- [x] a", Item{Text: "a", Box: 'x'}, true},
		{"  * [ ]* b", Item{Indent: 2, Text: "b", Box: ' ', Star: true}, true},
		{"\t3) c", Item{Indent: 4, Text: "c", Number: "3"}, true},
		{"- [a](b)", Item{Text: "[a](b)"}, true},
		{"- [] d", Item{Text: "d", Box: ' '}, true},
		{"-", Item{}, true}, {"-x", Item{}, false}, {"3x", Item{}, false}, {"", Item{}, false},
		{"**a**", Item{}, false},
	} {
		got, ok := ListItem(c.line)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%q: %+v %v", c.line, got, ok)
		}
	}
}

func TestPlaces(t *testing.T) {
	tx := New("x", []byte("ab\n  c\n\n"))
	if p := tx.At(1); p.Line != 2 || p.Column != 3 {
		t.Error(p)
	}
	for at, want := range map[int][2]int{0: {1, 1}, 2: {1, 3}, 3: {2, 1}, 5: {2, 3}, 7: {3, 1}, 8: {4, 1}, 99: {4, 1},
		-1: {1, 1}} {
		if p := tx.Offset(at); p.Line != want[0] || p.Column != want[1] {
			t.Errorf("%d is at %v", at, p)
		}
	}
	if got := tx.Join(0, 2); got != "ab\n  c" {
		t.Errorf("%q", got)
	}
}
