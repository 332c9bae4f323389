package spec

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

// builds is the word that makes the goal one that builds software, or "".
func (j *judged) builds() string {
	for _, h := range [...]*half{j.t, j.m} {
		if h != nil {
			if w := plan.Builds(h.goal().text); w != "" {
				return w
			}
		}
	}
	return ""
}

// software are the parameters of a plan whose goal builds software.
func software(j *judged) []*half {
	if j.builds() == "" {
		return nil
	}
	return some(j.t)
}

// A goal that builds software ([plan.Builds]) has parameters that say with what,
// for whom and how it is delivered: [software_stack] with deployment_type and
// primary_language, [user_interface] with required, true or false (or the type "none"), and [completion_criteria]. An interface
// that is required has interface_type, target_users and skill_level; a
// desktop_app or web_app has [deployment] with target_platform,
// installation_type and startup_method.
func stackIncomplete(c spot) {
	missing := missingOfStack(c.h.root)
	if len(missing) == 0 {
		return
	}
	at, all := c.h.goal().at, strings.Join(missing, ", ")
	if n := c.h.root.Find("software_stack"); n != nil {
		at = n.At
	}
	c.tell(at, "add "+all+`; where something does not apply, write "none"`,
		"the goal says %q, but the parameters do not say %s", c.builds(), all)
}

// missingOfStack lists the tables and keys that software needs and that are not
// there, or empty.
func missingOfStack(root *tomltree.Node) []string {
	var missing []string
	need := func(name string, keys ...string) *tomltree.Node {
		n := root.Find(name)
		if n == nil {
			missing = append(missing, "["+name+"]")
			return nil
		}
		for _, key := range keys {
			if !tells(n.Find(key)) {
				missing = append(missing, name+"."+key)
			}
		}
		return n
	}
	stack := need("software_stack", "deployment_type", "primary_language")
	ui := need("user_interface")
	flag := flagIn(ui, "required")
	switch required := flag.value; {
	case ui == nil, required == nil && strings.EqualFold(wordsIn(ui, "required", "interface_type", "type").text, "none"):
	case flag.odd != "":
		missing = append(missing, "user_interface.required as true or false without quotes")
	case required == nil:
		missing = append(missing, "user_interface.required")
	case *required:
		need("user_interface", "interface_type", "target_users", "skill_level")
	}
	switch deployedAs(stack) {
	case "desktop_app", "web_app":
		need("deployment", "target_platform", "installation_type", "startup_method")
	}
	need("completion_criteria")
	return missing
}

// tells reports whether a value says something: a text, a number, a table, or a
// list of them. An empty one does not, nor does a truth.
func tells(v *tomltree.Node) bool {
	if v == nil || v.Kind == tomltree.Boolean {
		return false
	}
	return len(v.Keys) > 0 || len(tablesOf(v)) > 0 && v.Kind == tomltree.Array ||
		slices.ContainsFunc(itemsOf(v), func(s said) bool { return s.text != "" })
}

// What is built is complete by criteria: a list acceptance_criteria, or at
// least three flags that are true.
func completionThin(c spot) {
	n := c.h.root.Find("completion_criteria")
	if n == nil || slices.ContainsFunc(itemsOf(n.Find("acceptance_criteria")), func(s said) bool { return s.text != "" }) {
		return
	}
	yes := 0
	for _, m := range n.Keys {
		yes += count(m.Value.Kind == tomltree.Boolean && m.Value.Text == "true")
	}
	if yes < 3 {
		c.tell(n.At, `add  acceptance_criteria = ["…"], what must be seen to hold in the end`,
			"fewer than 3 completion criteria are true (%d), and there is no list", yes)
	}
}

// outside are the words of goals that rely on what others run.
var outside = []string{"api", "apis", "external"}

// deployedAs is the deployment_type of a [software_stack] as this format
// spells it: desktop_app for "Desktop App".
func deployedAs(stack *tomltree.Node) string {
	return strings.Join(wordsOf(wordsIn(stack, "deployment_type").text), "_")
}

// What is built for others says how it reaches them: a desktop_app has
// software_stack.packaging_method; where an interface is required,
// completion_criteria.interface_complete says when it is complete; where the
// goal names an API or something external,
// completion_criteria.production_ready.
func deliveryUnsaid(c spot) {
	root := c.h.root
	n := root.Find("completion_criteria")
	if n == nil {
		return // which is an error of its own
	}
	var missing []string
	stack := root.Find("software_stack")
	if deployedAs(stack) == "desktop_app" && !tells(stack.Find("packaging_method")) {
		missing = append(missing, "software_stack.packaging_method")
	}
	if ui := flagIn(root.Find("user_interface"), "required").value; ui != nil && *ui &&
		n.Find("interface_complete") == nil {
		missing = append(missing, "completion_criteria.interface_complete")
	}
	if slices.ContainsFunc(wordsOf(c.h.goal().text), func(w string) bool { return slices.Contains(outside, w) }) &&
		n.Find("production_ready") == nil {
		missing = append(missing, "completion_criteria.production_ready")
	}
	if all := strings.Join(missing, ", "); all != "" {
		c.tell(n.At, "add "+all, "nothing is said of %s", all)
	}
}
