package gate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

func TestArgs(t *testing.T) {
	text := func(s string) plan.Value { return plan.Value{Kind: "string", Text: s} }
	a := gate.Args{{Key: "flag", Value: plan.Value{Kind: "boolean", Text: "true"}},
		{Key: "huge", Value: plan.Value{Kind: "integer", Text: "99999999999999999999"}},
		{Key: "max", Value: plan.Value{Kind: "integer", Text: "3"}},
		{Key: "names", Value: plan.Value{Kind: "array", List: []plan.Value{text("a"), text("b")}}},
		{Key: "style", Value: text("plain")}}
	if n, err := a.Int("max", 7); n != 3 || err != nil {
		t.Errorf("max: %d, %v", n, err)
	}
	if _, err := a.Int("huge", 7); err == nil {
		t.Error("a number that is too large was taken")
	}
	if a.Text("style", "x") != "plain" || !a.Flag("flag", false) ||
		!slices.Equal(a.Texts("names"), []string{"a", "b"}) {
		t.Errorf("%+v", a)
	}
	var none gate.Args
	if n, err := none.Int("max", 7); n != 7 || err != nil || none.Text("style", "x") != "x" ||
		!none.Flag("flag", true) || !slices.Equal(none.Texts("names", "c"), []string{"c"}) {
		t.Error("what is not given is not what it is otherwise")
	}
	info := gate.Info{Name: "g", Doc: "d", Phases: []gate.Phase{gate.After}, Args: []plan.Argument{
		{Name: "max", Doc: "d", Kind: "integer"}, {Name: "max", Doc: "d", Kind: "int"}, {Name: "mute"}}}
	if got := strings.Join(info.Faults(), "; "); !strings.Contains(got, `"max" is named twice`) ||
		!strings.Contains(got, `"mute"`) || !strings.Contains(got, `has the kind "int"`) {
		t.Errorf("faults %q", got)
	}
}
