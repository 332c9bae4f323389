package pattern

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/plan"
)

// A Level is how much of something there is.
type Level string

const (
	Low    Level = "LOW"    // little
	Medium Level = "MEDIUM" // some
	High   Level = "HIGH"   // much
)

// A Pattern is what a plan was made from, as its [meta] says: pattern_name,
// pattern_confidence, pattern_technologies, pattern_reference and
// risk_assessment.
type Pattern struct {
	Name         string
	Confidence   Level
	Technologies []string
	Reference    string
	Risk         Level // LOW where nothing is said
}

// Of is the pattern that a plan names; false if it names none.
func Of(p *plan.Plan) (Pattern, bool) {
	var found Pattern
	for _, s := range p.Meta.Extra {
		switch s.Key {
		case "pattern_name", "meta.pattern_name":
			found.Name = s.Value.Text
		case "pattern_confidence", "meta.pattern_confidence":
			found.Confidence = Level(strings.ToUpper(s.Value.Text))
		case "pattern_technologies", "meta.pattern_technologies":
			found.Technologies = words(s.Value)
		case "pattern_reference", "meta.pattern_reference":
			found.Reference = s.Value.Text
		case "risk_assessment", "meta.risk_assessment":
			found.Risk = Level(strings.ToUpper(s.Value.Text))
		}
	}
	if found.Risk == "" {
		found.Risk = Low
	}
	return found, found.Name != ""
}

// joints stand between the names of a text, as a comma does; so does a plus without
// blanks, see [apart].
var joints = strings.NewReplacer(";", ",", " and ", ",", " & ", ",", " + ", ",", " with ", ",")

// words are the texts of a value: of a list, or of a text with commas or other
// [joints].
func words(v plan.Value) []string {
	var all []string
	if v.Kind != "array" {
		for _, w := range strings.Split(apart(joints.Replace(v.Text)), ",") {
			if w = strings.TrimSpace(w); w != "" {
				all = append(all, w)
			}
		}
		return all
	}
	for _, item := range v.List {
		all = append(all, words(item)...)
	}
	return all
}

// apart puts a comma for each plus between two names, as in "Python+FastAPI"; one
// that belongs to a name stays, as in "C++17".
func apart(text string) string {
	b := []byte(text)
	for i := 1; i < len(b)-1; i++ {
		ends := b[i-1] != '+' || i > 2 && b[i-2] == '+' // "C+++Qt"
		if b[i] == '+' && ends && !strings.ContainsRune("+ \t,", rune(b[i+1])) {
			b[i] = ','
		}
	}
	return string(b)
}

// stack is what the plan's software stack names.
func stack(p *plan.Plan) []string {
	var all []string
	for _, s := range p.Settings {
		if strings.HasPrefix(s.Key, "software_stack.") {
			all = append(all, words(s.Value)...)
		}
	}
	return all
}

// Alignment is how far a plan's technologies are its pattern's.
type Alignment string

const (
	Full    Alignment = "full"    // all of them
	Half    Alignment = "partial" // some of them
	Nothing Alignment = "none"    // none of them
	Unsaid  Alignment = "unknown" // the plan has no software stack to compare
)

// An Assessment weighs a plan against its pattern.
type Assessment struct {
	Pattern    Pattern
	Alignment  Alignment
	Missing    []string // technologies of the pattern that the plan does not have
	Score      float64  // of the risk: pattern 1 to 3, deviation 0 to 2, complexity 0 to 1
	Risk       Level
	Escalates  bool // the risk is above what goes on without a word
	WantBackup bool // other patterns should be looked at
}

// What separates the levels of a composite risk.
const (
	mediumFrom = 1.75
	highFrom   = 2.75
)

// Assess adds up the risk of the pattern, a penalty for technologies that
// deviate from it, and the complexity that the plan says, of itself or of its
// hardest task. A deviation makes the risk MEDIUM at least.
func Assess(p *plan.Plan, pattern Pattern) Assessment {
	a := Assessment{Pattern: pattern, Alignment: Full}
	have := stack(p)
	for _, want := range pattern.Technologies {
		if len(have) > 0 && !slices.ContainsFunc(have, func(h string) bool { return sameTechnology(h, want) }) {
			a.Missing = append(a.Missing, want)
		}
	}
	penalty := 0.0
	switch {
	case len(have) == 0 && len(pattern.Technologies) > 0:
		a.Alignment = Unsaid
	case len(a.Missing) == 0:
	case len(a.Missing) < len(pattern.Technologies):
		a.Alignment, penalty = Half, 1
	default:
		a.Alignment, penalty = Nothing, 2
	}
	hard, by, _ := flow.Complexity(p)
	if by != "plan" {
		hard = 1 // how long a plan is says nothing of its pattern
	}
	a.Score = Rank(pattern.Risk) + penalty + float64(hard-1)/4
	switch {
	case a.Score >= highFrom:
		a.Risk = High
	case a.Score >= mediumFrom:
		a.Risk = Medium
	default:
		a.Risk = Low
	}
	a.Escalates = a.Risk == High
	a.WantBackup = a.Escalates || len(a.Missing) > 0 || pattern.Confidence == Medium || pattern.Confidence == Low
	return a
}

func Rank(l Level) float64 {
	switch l {
	case High:
		return 3
	case Medium:
		return 2
	}
	return 1
}

// sameTechnology compares names without regard to case, a version behind them or
// a suffix such as ".js".
func sameTechnology(a, b string) bool {
	a, b = bare(a), bare(b)
	return a != "" && a == b
}

// bare is a name in lower case without what follows from its version on: the
// first word but the first that begins with a digit, or with "v" or a sign and
// one.
func bare(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), "@")
	words := strings.Fields(name)
	for i, w := range words {
		if w = strings.TrimLeft(w, "(<>=^~v"); i > 0 && w != "" && w[0] >= '0' && w[0] <= '9' {
			words = words[:i]
			break
		}
	}
	name = strings.Join(words, " ")
	return strings.TrimSuffix(strings.TrimSuffix(name, ".js"), "js")
}
