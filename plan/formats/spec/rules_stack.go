package spec

import (
	"fmt"
	"slices"
	"strings"
)

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
