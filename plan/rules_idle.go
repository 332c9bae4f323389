package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/spelling"
)

// idleRule tells keys of free tables that nothing acts on.
var idleRule = rule{code: "key-idle", severity: Warning, said: true,
	why: "A key that nothing acts on is a promise that nobody keeps. Free tables may hold any keys; which of them are acted " +
		"on, or told to whoever does the work, stands in docs/plan-format.md, and the others are told, once for each table.",
	plan: idleKeys}

// A freeTable is what is done with a table that may hold any keys.
type freeTable struct {
	name string
	told bool     // all of it is told to people, or to whoever does the work, or rules judge it
	acts []string // keys that are acted on; of "a", what stands in a table a as well
	// words are what those of them can be that are one of some words
	words map[string][]string
	// flags are those that are true or false
	flags []string
	// true asks for what is done anyway; anything else is never done
	always []string
}

// freeTables may hold any keys. They are part of the plan.
var freeTables = []freeTable{
	{name: "software_stack", told: true},
	{name: "user_interface", told: true, flags: []string{"required"}, words: map[string][]string{"required": {"none"}}},
	{name: "deployment", told: true},
	{name: "mcp_tools", acts: []string{"required", "recommended", "optional"},
		flags: []string{"verification.check_on_startup", "verification.halt_if_required_missing",
			"verification.warn_if_recommended_missing"},
		always: []string{"verification.log_available_tools"}},
	{name: "components", told: true},
	{name: "constraints", told: true},
	{name: "knowledge_capture", acts: []string{"notepad_path", "update_frequency"}, flags: []string{"enabled"},
		words: map[string][]string{"update_frequency": {"per_task", "per_step", "end_only"}}},
	{name: "education", acts: []string{"approval_gates", "learning_pace", "comparison_depth"},
		flags: []string{"enabled", "rationale_required", "alternatives_shown"},
		words: map[string][]string{"learning_pace": {"slow", "moderate", "fast"},
			"comparison_depth": {"brief", "moderate", "detailed"}}},
	{name: "logging", acts: []string{"output_file"}, always: []string{"record_retries", "record_timestamps",
		"record_mode_switches", "record_backup_attempts", "record_constitutional_compliance", "track_constitutional_compliance",
		"track_mode_switches", "track_backup_usage"}},
	{name: "verification", always: []string{"check_task_alignment", "check_step_order", "check_file_integrity",
		"check_mode_consistency", "validate_backup_coverage", "verify_cross_references"}},
	{name: "validation", acts: []string{"total_tasks", "total_steps", "total_speclets", "critical_steps", "total_critical_steps",
		"non_critical_steps", "total_backups", "critical_percentage_actual"}},
	{name: "progress_tracking"},
	{name: "progress_log"},
	{name: "interface_contract"},
	{name: "dependencies"},
	{name: "operational_modes"},
	{name: "project_constitution"},
	{name: "constitution"},
	{name: "definition_of_complete", told: true},
	{name: "metadata", told: true},
}

// freeNames are the names of the free tables.
func freeNames() []string {
	names := make([]string, len(freeTables))
	for i, t := range freeTables {
		names[i] = t.name
	}
	return names
}

// idleKeys tells of each table which of its keys nothing acts on.
func idleKeys(x *inspection, tell tell) {
	p := x.plan
	log := ""
	idle, hints := map[string][]string{}, map[string]string{}
	for _, s := range p.Settings {
		if s.Key == LogKey {
			log = s.Value.Text
		}
	}
	for _, s := range p.Settings {
		table, key, _ := strings.Cut(s.Key, ".")
		if log != "" && s.Value.Text == log {
			continue // where the log is, in other words
		}
		if key == "" && s.Value.Kind == kindTable {
			continue // it has no keys
		}
		for i := range freeTables {
			if t := &freeTables[i]; t.name == table && !t.keeps(key, s.Value) {
				hints[table] += meant(key, slices.Concat(t.acts, t.flags))
				if slices.Contains(t.flags, key) {
					key, hints[table] = fmt.Sprintf("%s (%q)", key, s.Value.Plain()), "; write true or false without quotes"
				}
				idle[table] = append(idle[table], key)
			}
		}
	}
	execution := freeTable{acts: ExecutionKeys()}
	for _, s := range p.Execution.Extra {
		if !execution.keeps(s.Key, s.Value) {
			idle["execution"] = append(idle["execution"], s.Key)
			hints["execution"] += meant(s.Key, execution.acts)
		}
	}
	for _, s := range p.Meta.Extra { // people read the others
		if known := Names(new(Meta).visit); meant(s.Key, known) != "" {
			idle["meta"] = append(idle["meta"], s.Key)
			hints["meta"] += meant(s.Key, known)
		}
	}
	for _, s := range p.ErrorPropagation.Extra {
		idle["error_propagation"] = append(idle["error_propagation"], s.Key)
		hints["error_propagation"] += meant(s.Key, Names(new(ErrorPropagation).visit))
	}
	for _, s := range p.Completion.Flags {
		if s.Value.Kind != kindBoolean {
			idle["completion_criteria"] = append(idle["completion_criteria"], s.Key)
		}
	}
	for _, table := range append(freeNames(), "meta", "execution", "error_propagation", "completion_criteria") {
		if keys := idle[table]; len(keys) > 0 {
			first, _, _ := strings.Cut(keys[0], " (")
			tell(table+"."+first,
				fmt.Sprintf("nothing acts on %s of [%s]: %s", count(len(keys), "key"), table, few(keys)),
				"take what is not needed out, or say it as a check, a constraint or a step"+hints[table])
		}
	}
}

// meant is the end of a hint that names the key that a misspelt one resembles.
func meant(key string, keys []string) string {
	if near := spelling.Nearest(key, keys); near != "" && near != key {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// keeps reports whether a key of the table is acted on, or told.
func (t *freeTable) keeps(key string, v Value) bool {
	if slices.Contains(t.flags, key) {
		return v.Kind == kindBoolean || word(t.words[key]...)(v)
	}
	if t.told || slices.Contains(t.always, key) && v.Kind == kindBoolean && v.Text == "true" {
		return true
	}
	if t.name+"."+key == NotepadKey {
		return v.Text == "" || IsNotepad(v.Text)
	}
	if words, some := t.words[key]; some {
		return word(words...)(v)
	}
	return slices.ContainsFunc(t.acts, func(act string) bool { return key == act || strings.HasPrefix(key, act+".") })
}

// few are the first of some names, and how many more there are.
func few(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
