package spec

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
	"github.com/planlock/planlock/plan/internal/decode"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

// freeTables are those that a plan keeps under their own names.
var freeTables = []string{
	"software_stack", "user_interface", "deployment", "mcp_tools", "components", "constraints", "knowledge_capture",
	"education", "logging", "verification", "validation", "progress_tracking", "progress_log", "interface_contract",
	"dependencies", "operational_modes", "project_constitution", "constitution", "definition_of_complete",
}

// ofThisFormat are the other tables and keys at the top that are read here.
var ofThisFormat = slices.Concat([]string{"tasks", "speclets", "goal", "goals", "meta", "metadata", "version",
	"descriptor", "execution", "error_propagation", "completion_criteria"}, freeTables)

// otherTable is where everything else is kept.
const otherTable = "metadata"

// table reads one table, or key, of the top level that is neither goal, task
// nor speclet. None is lost.
func (h *half) table(name string, n *tomltree.Node) {
	p := &h.rest
	isTable := n.Kind == tomltree.Table
	switch {
	case name == "tasks" || name == "speclets":
	case name == "goal" || name == "goals":
		if isTable {
			_, rest := h.native(ofGoal, n, "", "", func(plan.Visitor) {}, []string{"description", "statement", "goals"})
			h.keep("goal", rest)
		}
	case (name == "meta" || name == "metadata") && isTable:
		h.meta(n)
	case name == "version" && n.Kind == tomltree.String:
		p.Meta.Version = n.Text
	case name == "descriptor" && n.Kind == tomltree.String:
		p.Meta.Name = n.Text
	case name == "execution" && isTable:
		mode := wordsIn(n, "default_mode", "mode")
		p.Execution.DefaultMode = modeOf(mode.text)
		p.Execution.Extra = append(p.Execution.Extra, othersIn(n, "default_mode", "mode")...)
	case name == "error_propagation" && isTable:
		h.propagation(n)
	case name == "completion_criteria" && isTable:
		p.Completion.AcceptanceCriteria = h.texts(n, "acceptance_criteria", "")
		h.native(ofWhole, decode.Only(n, []string{"checks"}), "", "", p.Completion.Visit, nil)
		p.Completion.Flags = append(p.Completion.Flags, othersIn(n, "acceptance_criteria", "checks")...)
	case isTable && slices.Contains(freeTables, name):
		p.Settings = n.Settings(p.Settings, name)
		if name == "definition_of_complete" && p.Completion.AcceptanceCriteria == nil {
			p.Completion.AcceptanceCriteria = deliverables(n)
		}
	case slices.Contains(ofThisFormat, name):
		p.Settings = n.Settings(p.Settings, otherTable+"."+name)
		is, write := "no table", "["+name+"]"
		if name == "version" || name == "descriptor" {
			is, write = "no text", name+` = "…"`
		}
		h.idle(idle{ofTop.name, name}, n.At, "", "", func() (string, string) { return "it is " + is, "write  " + write })
	default:
		h.others = append(h.others, tomltree.Key{Name: name, Offset: n.At, Value: n})
	}
}

// flagged are the completion criteria that are said as flags, each by its name,
// to be judged like those in words: what is true in [completion_criteria], and of
// an interface that is required that it is complete.
func flagged(p *plan.Plan) (names []string) {
	isTrue := func(s plan.Setting) bool { return s.Value.Kind == "boolean" && s.Value.Text == "true" }
	for _, s := range p.Completion.Flags {
		if isTrue(s) {
			names = append(names, s.Key)
		}
	}
	if slices.ContainsFunc(p.Settings, func(s plan.Setting) bool { return s.Key == "user_interface.required" && isTrue(s) }) {
		names = append(names, "interface_complete")
	}
	return names
}

// whole reads the tables that native plans have as well. What nobody knows is
// kept.
func (h *half) whole() {
	h.logged()
	_, rest := h.native(ofTop, &tomltree.Node{Kind: tomltree.Table, Keys: h.others}, "", "", h.rest.Visit, ofThisFormat)
	for _, s := range rest {
		h.rest.Settings = append(h.rest.Settings, plan.Setting{Key: otherTable + "." + s.Key, Value: s.Value})
	}
	n := h.root.Find("defaults")
	if n == nil || n.Kind != tomltree.Table {
		return
	}
	steps := 0
	for _, t := range tablesOf(h.root.Find("tasks")) {
		steps += len(tablesOf(t.Find("steps")))
	}
	for _, s := range tablesOf(h.root.Find("speclets")) {
		for _, t := range tablesOf(s.Find("tasks")) {
			steps += len(tablesOf(t.Find("steps")))
		}
	}
	if !decode.Inheritable(n, steps) {
		h.unfit = append(h.unfit, unfit{Fault: decode.Fault{Code: "defaults-too-large", Offset: n.Offset,
			Message: fmt.Sprintf("[defaults] has %d bytes for each of %d steps", n.Size(), steps),
			Hint:    "keep [defaults] small"}})
		return
	}
	h.defaults = decode.Only(n, plan.Names(new(plan.Step).Visit))
}

// deliverables are the texts of [definition_of_complete].
func deliverables(n *tomltree.Node) []string {
	var list []string
	for _, m := range n.Keys {
		if m.Value.Kind == tomltree.String || m.Value.Kind == tomltree.Array {
			list = append(list, textsOf(itemsOf(m.Value))...)
		}
	}
	return list
}

// logged takes the name of the progress log from where else this format has it,
// if logging.output_file does not say it. A file of another kind stays a
// setting, of which a rule tells that nothing acts on it.
func (h *half) logged() {
	const key = "logging.output_file"
	said := func(key string) string {
		table, name, _ := strings.Cut(key, ".")
		return wordsIn(h.root.Find(table), name).text
	}
	if said(key) != "" || h.root.Find("logging") != nil && h.root.Find("logging").Find("output_file") != nil {
		return
	}
	for _, other := range [...]string{"logging.log_file", "progress_tracking.progress_file", "progress_tracking.log_file",
		"progress_log.file", "meta.log_output"} {
		if name := said(other); strings.HasPrefix(path.Base(name), "progress") && strings.HasSuffix(name, ".json") {
			h.rest.Settings = append(h.rest.Settings, plan.Setting{Key: key, Value: sketch.Text(name)})
			return
		}
	}
}

// keep stores settings below metadata.NAME.
func (h *half) keep(name string, list []plan.Setting) {
	for _, s := range list {
		h.rest.Settings = append(h.rest.Settings, plan.Setting{Key: otherTable + "." + name + "." + s.Key,
			Value: s.Value})
	}
}

// keepExtras stores what a task, its steps and their backups say beyond what a
// plan has fields for.
func (h *half) keepExtras(t *task) {
	at := "tasks." + spelling.QuoteKey(t.id)
	h.keep(at, t.extra)
	for _, s := range t.steps {
		step := at + ".steps." + spelling.QuoteKey(s.id)
		h.keep(step, s.extra)
		for _, b := range s.backups {
			h.keep(step+".backups."+spelling.QuoteKey(b.id), b.extra)
		}
	}
}

// meta reads what the plan is called, by several names of the keys.
func (h *half) meta(n *tomltree.Node) {
	m := &h.rest.Meta
	if name := wordsIn(n, "goal_descriptor", "descriptor", "name"); name.ok {
		m.Name = name.text
	}
	if version := wordsIn(n, "version", "spec_version"); version.ok {
		m.Version = version.text
	}
	m.Extra = append(m.Extra, othersIn(n, "goal_descriptor", "version")...)
}

// propagation reads [error_propagation]. A strategy that is not known is left
// out; a rule tells it.
func (h *half) propagation(n *tomltree.Node) {
	e := &h.rest.ErrorPropagation
	e.Enabled = flagIn(n, "enabled", "propagation_enabled").value
	e.ReadPriorSteps = flagIn(n, "read_prior_steps").value
	e.DependencyTracking = flagIn(n, "dependency_tracking").value
	if s := plan.Propagation(wordsIn(n, "propagation_strategy", "strategy").text); slices.Contains(strategies, s) {
		e.Strategy = s
	}
	known := []string{"enabled", "propagation_enabled", "read_prior_steps", "dependency_tracking", "propagation_strategy", "strategy"}
	if threshold := numberIn(n, "failure_threshold"); threshold.value != nil && *threshold.value > 0 {
		e.FailureThreshold = *threshold.value
		known = append(known, "failure_threshold")
	}
	e.Extra = append(e.Extra, othersIn(n, known...)...)
}

var strategies = []plan.Propagation{plan.HaltOnCritical, plan.ContinueAndLog, plan.CollaborativeReview}

var modes = []plan.Mode{plan.Silent, plan.Collaborative, plan.Dynamic, plan.Education}

// modeOf is the mode that a text begins with, or "".
func modeOf(text string) plan.Mode {
	word, _, _ := strings.Cut(strings.ToLower(strings.Trim(text, "`\"' ")), " ")
	if mode := plan.Mode(strings.Trim(word, "`,;.")); slices.Contains(modes, mode) {
		return mode
	}
	return ""
}

// orderSettings sorts by key; of two with one key the first stays.
func orderSettings(list []plan.Setting) []plan.Setting {
	sort.SliceStable(list, func(i, j int) bool { return list[i].Key < list[j].Key })
	return slices.CompactFunc(list, func(a, b plan.Setting) bool { return a.Key == b.Key })
}
