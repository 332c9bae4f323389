package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

func stackRules() []rule {
	return []rule{
		{Rule{Code: "stack-incomplete", Severity: plan.Error,
			Explanation: "A goal with the whole word build, create, develop, system, application or app builds software. Then the parameters say with what, " +
				"for whom and how it is delivered: [software_stack] with deployment_type and primary_language, [user_interface], [deployment], and " +
				"[completion_criteria]. An interface that is required has interface_type, target_users and skill_level; a desktop_app or web_app has " +
				"target_platform, installation_type and startup_method.",
			Edits: []Edit{{tomlSide, `primary_language = "go"`, `primary_language = ""`}}, At: Mark{tomlSide, "[software_stack]"}}, stackIncomplete},
		{Rule{Code: "completion-thin", Severity: plan.Warning,
			Explanation: "What is built is complete by criteria: a list acceptance_criteria, or at least three flags that are true.",
			Edits:       []Edit{{tomlSide, "acceptance_criteria = [\"The eleventh request is refused\"]\n", ""}}, At: Mark{tomlSide, "[completion_criteria]"}}, completionThin},
		{Rule{Code: "delivery-unsaid", Severity: plan.Warning,
			Explanation: "What is built for others says how it reaches them: a desktop_app has software_stack.packaging_method; where an interface is required, " +
				"completion_criteria.interface_complete says when it is complete; where the goal names an API or something external, completion_criteria.production_ready.",
			Edits: []Edit{{tomlSide, "required = false\n", "required = true\ninterface_type = \"page\"\ntarget_users = \"readers\"\nskill_level = \"none\"\n"}},
			At:    Mark{tomlSide, "[completion_criteria]"}}, deliveryUnsaid},
	}
}

// builds is the word that makes the goal one that builds software, or "".
func (j *judged) builds() string {
	for _, h := range [...]*half{j.t, j.m} {
		if h != nil {
			if w := buildWord(h.goal().text); w != "" {
				return w
			}
		}
	}
	return ""
}

func stackIncomplete(j *judged, report reporter) {
	word := j.builds()
	if word == "" || j.t == nil {
		return
	}
	missing := missingOfStack(j.t.root)
	if len(missing) == 0 {
		return
	}
	at := j.t.goal().at
	if n := j.t.root.find("software_stack"); n != nil {
		at = n.at
	}
	report(j.t, at, "", "", fmt.Sprintf("the goal says %q, but the parameters do not say %s", word, strings.Join(missing, ", ")),
		"add "+strings.Join(missing, ", ")+"; where something does not apply, write \"none\"")
}

// missingOfStack lists the tables and keys that software needs and that are not there, or empty.
func missingOfStack(root *node) []string {
	var missing []string
	need := func(name string, keys ...string) *node {
		n := root.find(name)
		if n == nil {
			missing = append(missing, "["+name+"]")
			return nil
		}
		for _, key := range keys {
			if v := n.find(key); v == nil || v.kind == kindString && strings.TrimSpace(v.text) == "" {
				missing = append(missing, name+"."+key)
			}
		}
		return n
	}
	stack := need("software_stack", "deployment_type", "primary_language")
	if n := root.find("user_interface"); n.flag("required").value != nil && *n.flag("required").value {
		need("user_interface", "interface_type", "target_users", "skill_level")
	} else {
		need("user_interface")
	}
	switch stack.words("deployment_type").text {
	case "desktop_app", "web_app":
		need("deployment", "target_platform", "installation_type", "startup_method")
	default:
		need("deployment")
	}
	need("completion_criteria")
	return missing
}

func completionThin(j *judged, report reporter) {
	if j.builds() == "" || j.t == nil {
		return
	}
	n := j.t.root.find("completion_criteria")
	if n == nil || len(n.find("acceptance_criteria").items()) > 0 {
		return
	}
	yes := 0
	for _, m := range n.members {
		yes += count(m.value.kind == kindBoolean && m.value.text == "true")
	}
	if yes < 3 {
		report(j.t, n.at, "", "", fmt.Sprintf("the completion criteria are %d flags and no list", yes), `add  acceptance_criteria = ["…"], what must be seen to hold in the end`)
	}
}

// outside are the words of goals that rely on what others run.
var outside = []string{"api", "apis", "external"}

func deliveryUnsaid(j *judged, report reporter) {
	if j.builds() == "" || j.t == nil {
		return
	}
	n := j.t.root.find("completion_criteria")
	if n == nil {
		return // which is an error of its own
	}
	var missing []string
	stack := j.t.root.find("software_stack")
	if stack.words("deployment_type").text == "desktop_app" && stack.words("packaging_method").text == "" {
		missing = append(missing, "software_stack.packaging_method")
	}
	if ui := j.t.root.find("user_interface").flag("required").value; ui != nil && *ui && n.find("interface_complete") == nil {
		missing = append(missing, "completion_criteria.interface_complete")
	}
	if slices.ContainsFunc(wordsOf(j.t.goal().text), func(w string) bool { return slices.Contains(outside, w) }) && n.find("production_ready") == nil {
		missing = append(missing, "completion_criteria.production_ready")
	}
	if len(missing) > 0 {
		report(j.t, n.at, "", "", "nothing is said of "+strings.Join(missing, ", "), "add "+strings.Join(missing, ", "))
	}
}
