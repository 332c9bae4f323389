package characterise

import (
	"encoding/json"
	"fmt"
	"strings"
)

// facts is the one place that knows how the facts of a journal and their fields
// are called: the type in the journal, the name in the records, and the fields
// that users see, each as FIELD or as FIELD>NAME where the records call it
// otherwise; a field in another is FIELD.FIELD. A fact without a name in the
// records is one that users do not see.
var facts = []struct{ kind, name, fields string }{
	{"run-started", "run begins", "name goal format profile policy.mode>mode policy.mode_by>mode_by policy.preset>preset executor isolated shadow no_sandbox own_stores policy.deterministic>deterministic policy.test_first>test_first acknowledged remembered steps tools warnings"},
	{"policy-changed", "", ""},
	{"run-resumed", "run goes on", "reason in_flight"},
	{"strategy-set", "strategy", "strategy from complexity planned source why measures phases"},
	{"mode-switched", "mode", "from to cause measurements triggers methods recommendation consecutive"},
	{"phase-over", "phase over", "phase number of completed left"},
	{"budget", "budget", "handoff used limit total session next"},
	{"step-started", "step begins", "prior decision strategy concern"},
	{"attempt-started", "attempt begins", "method text executor reinstates phase"},
	{"attempt-ended", "attempt ends", "output exit error tokens calls metrics stateful summary"},
	{"telemetry", "telemetry", "status run_ids artifacts metrics dropped"},
	{"accounted", "account", "account symbols lines git_moved bears"},
	{"cycle", "cycle", "phase test ran exit passed holds did why output"},
	{"job-done", "job", "run of output run_ids artifacts metrics"},
	{"controlled", "controls", "controls"},
	{"differs", "differs", "step attempt paths refused"},
	{"repeated", "executed again", "not_compared unlike total"},
	{"step-completed", "step completed", "method"},
	{"attempt-failed", "attempt failed", "class reasons findings cause"},
	{"restore-begun", "restore begins", "deliver"},
	{"restored", "restored", ""},
	{"compensated", "compensated", "run exit output error"},
	{"recovery", "recovery", "rung method why repeats passed"},
	{"asked", "question", "question"},
	{"answered", "answer", "answer"},
	{"unanswered", "unanswered", "question why final"},
	{"addendum", "addendum",
		"number question kind choice acknowledged reason by artifacts max_files max_lines modules"},
	{"run-amended", "amended", "number by reason requirements tasks added steps warnings"},
	{"remembered", "remembered", "question kind step choice reason by why"},
	{"advised", "advice", "kind point rung advisor root_cause note confidence severity risk queries sources findings alternatives error nothing"},
	{"patched", "patch", "id kind point base summary diff method confidence refused why"},
	{"lesson", "lesson", "question recommended chosen used result lesson others"},
	{"step-failed", "step failed", "class reasons halts passed"},
	{"step-skipped", "step skipped", "why by done"},
	{"step-blocked", "step blocked", "by why unblock"},
	{"task-over", "task over", "task status reason by unblock steps checks consecutive failures"},
	{"approval", "approval", "task_id preliminary_status reviews reasons approved_jobs retry_attempt step patch_id terminal"},
	{"evidence", "evidence", "task_id type items pass retry action"},
	{"evidence-retry", "evidence again", "task_id retry action step patch_id confidence terminal"},
	{"task-outcome", "outcome", "task_id status status_reason approval execution verification retries attempts_total run_ids artifacts"},
	{"compliance", "compliance", "task_id critical_count total_count checked violations"},
	{"stop-requested", "to stop", "by why"},
	{"run-paused", "paused", "why"},
	{"moves-accepted", "moves accepted", "by moved"},
	{"run-abandoned", "abandoned", "by reason"},
	{"disowned", "disowned", ""},
	{"key-changed", "key changed", "by"},
	{"rolled-back", "rolled back", "to by"},
	{"run-ended", "run ends", "status reasons"},
	{"group-begun", "group", "steps"},
	{"joined", "joined", ""},
	{"delivery-begun", "delivery begins", ""},
	{"delivered", "delivered", ""},
	{"foreign", "foreign", "changes met"},
	{"settled", "settled", "by"},
	{"run-sealed", "sealed", ""},
}

// A fact as `planlock log --format jsonl` writes it.
type fact struct {
	Type    string         `json:"type"`
	Step    string         `json:"step"`
	Attempt int            `json:"attempt"`
	Data    map[string]any `json:"data"`
}

// journal writes a journal down: the facts that users see, each with the fields
// that they see. Judgements stand one on a line, however many share a record.
func (n normaliser) journal(text string) (string, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var b strings.Builder
	for dec.More() {
		var f fact
		if err := dec.Decode(&f); err != nil {
			return "", fmt.Errorf("the journal is no JSON: %w", err)
		}
		where := f.Step
		if f.Attempt > 0 {
			where += fmt.Sprintf("#%d", f.Attempt)
		}
		if where != "" {
			where += " "
		}
		if f.Type == "judged" {
			n.judgements(&b, where, f.Data)
			continue
		}
		row := -1
		for i := range facts {
			if facts[i].kind == f.Type {
				row = i
			}
		}
		if row < 0 {
			return "", fmt.Errorf("the table of facts (facts_test.go) has no row for %q: give it a name and the fields that users see", f.Type)
		}
		if facts[row].name == "" {
			continue
		}
		seen := map[string]any{}
		for _, field := range strings.Fields(facts[row].fields) {
			from, to, renamed := strings.Cut(field, ">")
			if !renamed {
				to = from
			}
			var v any = f.Data
			for _, key := range strings.Split(from, ".") {
				o, _ := v.(map[string]any)
				v = o[key]
			}
			if v != nil {
				seen[to] = v
			}
		}
		write(&b, "", where+facts[row].name+" ", n.value(seen))
		if f.Type == "run-started" {
			n.judgements(&b, "  ", map[string]any{"judged": f.Data["planning"]})
		}
	}
	return b.String(), nil
}

// judgements writes down what gates said: those that passed together on one
// line.
func (n normaliser) judgements(b *strings.Builder, where string, data map[string]any) {
	list, several := data["judged"].([]any)
	if !several {
		list = []any{data}
	}
	passed, phase := "", any(nil)
	flush := func() {
		if passed != "" {
			fmt.Fprintf(b, "%sgates pass%s\n", where, passed)
		}
		passed, phase = "", nil
	}
	for _, e := range list {
		j, ok := e.(map[string]any)
		if !ok || j["gate"] == nil {
			continue
		}
		verdict, _ := j["verdict"].(map[string]any)
		said, _ := n.value(map[string]any{"verdict": verdict, "error": j["error"]}).(map[string]any)
		head := fmt.Sprintf("%v %v %v", j["gate"], j["phase"], j["level"])
		if verdict != nil && verdict["result"] == "pass" && verdict["findings"] == nil {
			if j["phase"] != phase {
				phase = j["phase"]
				passed += fmt.Sprintf(" · %v:", phase)
			}
			passed += fmt.Sprintf(" %v", j["gate"])
			continue
		}
		flush()
		for _, part := range []string{"verdict", "error"} {
			if said[part] != nil {
				write(b, "", where+"gate "+head+" "+part+" ", said[part])
			}
		}
	}
	flush()
}
