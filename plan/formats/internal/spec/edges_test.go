package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// tasksOf is a pair with so many tasks besides the two of the example.
func tasksOf(more int) (markdown, toml string) {
	markdown, toml = example(false)
	var m, p strings.Builder
	for i := 3; i < 3+more; i++ {
		fmt.Fprintf(&m, "### Task [%d]: Announce it\n- **Step [1]:** Write to the users\n\n", i)
		p.WriteString(strings.Replace(oneTask, "id = 3", fmt.Sprintf("id = %d", i), 1) + "\n")
	}
	return strings.Replace(markdown, "## Bridging", m.String()+"## Bridging", 1),
		strings.Replace(toml, "[error_propagation]", p.String()+"[error_propagation]", 1)
}

// chainOf is a pair with so many speclets, each waiting for the one before.
func chainOf(n int) (markdown, toml string) {
	markdown, toml = example(true)
	var m, p strings.Builder
	before := "docs"
	for i := 3; i <= n; i++ {
		id := fmt.Sprintf("s%d", i)
		fmt.Fprintf(&m, "### SPECLet [%s]: More\n**Depends On:** `[%q]`\n\n", id, before)
		fmt.Fprintf(&p, "[[speclets]]\nid = %q\ndepends_on = [%q]\ntasks = []\nparallel_allowed = true\n\n", id, before)
		before = id
	}
	return strings.Replace(markdown, exampleSpecletB, exampleSpecletB+m.String(), 1),
		strings.Replace(toml, exampleTableB, exampleTableB+p.String(), 1)
}

// balanceOf is the TOML half of one task with so many critical steps of all.
func balanceOf(critical, all int) (markdown, toml string) {
	var p strings.Builder
	p.WriteString("[goal]\ndescription = \"Write the page about it\"\n[[tasks]]\nid = 1\ndescription = \"Write\"\n")
	for i := range all {
		fmt.Fprintf(&p, "[[tasks.steps]]\nid = %d\ndescription = \"s\"\nexpected_output = \"o\"\ncritical_flag = %t\nmode = \"silent\"\nmax_retries = 0\n", i+1, i < critical)
	}
	return "", p.String()
}

// replaced is the example with one thing in the parameters changed.
func replaced(old, now string) (markdown, toml string) {
	markdown, toml = example(false)
	if !strings.Contains(toml, old) {
		panic("the example has no " + old)
	}
	return markdown, strings.ReplaceAll(toml, old, now)
}

// Each threshold, and each field of what software needs, from both sides.
func TestEdges(t *testing.T) {
	pair := func(markdown, toml string) [2]string { return [2]string{markdown, toml} }
	goal := func(text string) [2]string {
		markdown, toml := example(false)
		return pair(strings.ReplaceAll(markdown, exampleGoal, text), strings.ReplaceAll(toml, exampleGoal, text))
	}
	flags := func(n int) [2]string {
		return pair(replaced("acceptance_criteria = [\"The eleventh request is refused\"]\n", strings.Join([]string{"a = true\n", "b = true\n", "c = true\n", "d = true\n"}[:n], "")+"e = false\n"))
	}
	window := "[user_interface]\nrequired = true\ninterface_type = \"window\"\ntarget_users = \"volunteers\"\nskill_level = \"none\"\n"
	desktop := "[deployment]\ntarget_platform = \"linux\"\ninstallation_type = \"installer\"\nstartup_method = \"icon\"\n"
	full := func(ui, deployment string, stack string) [2]string {
		markdown, toml := example(false)
		from, to := strings.Index(toml, "[software_stack]"), strings.Index(toml, "[completion_criteria]")
		return pair(markdown, toml[:from]+"[software_stack]\n"+stack+ui+deployment+toml[to:])
	}
	app, web, library := "deployment_type = \"desktop_app\"\nprimary_language = \"go\"\n", "deployment_type = \"web_app\"\nprimary_language = \"go\"\n", "deployment_type = \"library\"\nprimary_language = \"go\"\n"
	without := func(text, key string) string {
		lines := strings.SplitAfter(text, "\n")
		return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, key+" =") }), "")
	}
	for name, tt := range map[string]struct {
		pair [2]string
		code string
		want bool
	}{
		"twenty tasks":     {pair(tasksOf(18)), "task-count-large", false},
		"twenty-one tasks": {pair(tasksOf(19)), "task-count-large", true},

		"the same tasks":                  {pair(example(true)), "speclet-differs", false},
		"other tasks":                     {retold("`[task_2]`", "`[task_1, task_2]`"), "speclet-differs", true},
		"another title":                   {retold("]: The page", "]: The papers"), "speclet-differs", true},
		"no tasks in one of them":         {retold("**Tasks Included:** `[task_2]`\n", ""), "speclet-differs", false},
		"a chain of four":                 {pair(chainOf(4)), "speclet-chain-deep", false},
		"a chain of five":                 {pair(chainOf(5)), "speclet-chain-deep", true},
		"39 of 100":                       {pair(balanceOf(39, 100)), "critical-balance", true},
		"40 of 100":                       {pair(balanceOf(40, 100)), "critical-balance", false},
		"60 of 100":                       {pair(balanceOf(60, 100)), "critical-balance", false},
		"61 of 100":                       {pair(balanceOf(61, 100)), "critical-balance", true},
		"two flags":                       {flags(2), "completion-thin", true},
		"three flags":                     {flags(3), "completion-thin", false},
		"goal of 2 words":                 {goal("Document it"), "goal-vague", true},
		"goal of 3 words":                 {goal("Document all requests"), "goal-vague", false},
		"a placeholder":                   {goal("[say what is wanted here]"), "goal-vague", true},
		"still to do":                     {goal("TODO write the goal of it"), "goal-vague", true},
		"to be decided":                   {goal("Document all of it, TBD"), "goal-vague", true},
		"another placeholder":             {goal("<say what is wanted here>"), "goal-vague", true},
		"a list of todos":                 {goal("Document the todo list"), "goal-vague", false},
		"an empty list":                   {pair(replaced("acceptance_criteria = [\"The eleventh request is refused\"]", "acceptance_criteria = [\"\"]")), "completion-thin", true},
		"a mode that is a number":         {pair(replaced("mode = \"silent\"\nmax_retries = 1", "mode = 3\nmax_retries = 1")), "mode-invalid", true},
		"a number as the mode of the run": {pair(replaced("default_mode = \"dynamic\"", "default_mode = 3")), "default-mode-invalid", true},
		"criteria that are numbers":       {pair(replaced("[\"The eleventh request is refused\"]", "[1, 2]")), "value-unfit", true},
		"a criterion by itself":           {pair(replaced("[\"The eleventh request is refused\"]", "\"It is there\"")), "value-unfit", false},
		"a criterion of a task":           {pair(replaced("description = \"Document it\"", "description = \"Document it\"\nacceptance_criteria = [{}]")), "value-unfit", true},
		"research enabled in text":        {pair(replaced("description = \"Document it\"", "description = \"Document it\"\nresearch_enabled = \"true\"")), "key-idle", true},
		"research enabled":                {pair(replaced("description = \"Document it\"", "description = \"Document it\"\nresearch_enabled = true")), "key-idle", false},
		"a mode of a task beside those of its steps":  {pair(replaced("description = \"Document it\"", "description = \"Document it\"\nmode = \"quiet\"")), "mode-invalid", true},
		"retries of a task beside those of its steps": {pair(replaced("description = \"Document it\"", "description = \"Document it\"\nmax_retries = -1")), "retries-negative", true},
		"a flag of a task beside those of its steps":  {pair(replaced("description = \"Document it\"", "description = \"Document it\"\ncritical_flag = \"yes\"")), "critical-flag-missing", true},
		"a mode of a task in the Markdown":            {retold("### Task [2]: Document it\n", "### Task [2]: Document it\n**Mode:** quiet\n\n"), "mode-invalid", true},
		"a mode of a task that differs":               {onTask("**Mode:** collaborative"), "mode-differs", true},
		"a mode of a task that is the same":           {onTask("**Mode:** silent"), "mode-differs", false},
		"a flag of a task that differs":               {onTask("**Critical:** false"), "critical-differs", true},
		"a flag of a task that is neither":            {onTask("**Critical:** maybe"), "critical-differs", true},
		"a backup by all its numbers":                 {retold("**Backup [1]:** Use", "**Backup [1.1.1]:** Use"), "backup-id-differs", false},
		"a backup by all its numbers in the parameters": {pair(replaced("[[tasks.steps.backups]]\nid = 1\ndescription = \"Use",
			"[[tasks.steps.backups]]\nid = \"1.1.1\"\ndescription = \"Use")), "backup-id-differs", false},
		"a backup of another step":       {retold("**Backup [1]:** Use", "**Backup [1.2.1]:** Use"), "backup-id-differs", true},
		"a goal in bold face":            {retold("## Goal\n"+exampleGoal, "## Goal\n**"+exampleGoal+"**"), "goal-mismatch", false},
		"a goal with bold face":          {retold("## Goal\nBuild a rate limiter", "## Goal\nBuild a **rate limiter**"), "goal-mismatch", false},
		"a step in bold face":            {retold("Write the page\n", "Write the **page**\n"), "title-differs", false},
		"a task that waits by name":      {pair(replaced("description = \"Document it\"", "description = \"Document it\"\ndepends_on = [\"task_1\"]")), "task-dep-unknown", false},
		"a strategy that is a number":    {pair(replaced("\"halt_on_critical\"", "5")), "propagation-strategy-unknown", true},
		"a mode that is a list":          {pair(replaced("mode = \"silent\"\nmax_retries = 1", "mode = [\"silent\"]\nmax_retries = 1")), "mode-invalid", true},
		"a component by a label":         {retold("- **Mode:** silent", "- **Mode:** silent\n  - **Components:** `limiter`, components.limiter"), "component-ref-dangling", false},
		"another by a label":             {retold("- **Mode:** silent", "- **Mode:** silent\n  - **Components:** limiter, limit"), "component-ref-dangling", true},
		"a label with prose":             {retold("- **Mode:** silent", "- **Mode:** silent\n  - **Components:** limiter of the server"), "component-ref-dangling", false},
		"a constraint by a label":        {retold("- **Mode:** silent", "- **Mode:** silent\n  - **Constraints:** max_latency"), "constraint-ref-dangling", true},
		"two goals as a list":            {retold("## Goal\n"+exampleGoal, "## Goal\n- "+exampleGoal+"\n- Sell it"), "goal-multiple", true},
		"a second goal by its number":    {retold("## Goal\n"+exampleGoal, "## Goal\n"+exampleGoal+"\n\n## Goal 2\nSell it"), "goal-multiple", true},
		"goals under a heading":          {retold("## Goal\n"+exampleGoal, "## Goals\nSell it\n\n## Goal\n"+exampleGoal), "goal-multiple", true},
		"goals beside a goal":            {pair(replaced("[goal]\n", "[[goals]]\ndescription = \"Sell it\"\n\n[goal]\n")), "goal-multiple", true},
		"the same beside a goal":         {pair(replaced("[goal]\n", "[[goals]]\ndescription = \""+exampleGoal+"\"\n\n[goal]\n")), "goal-multiple", false},
		"goals in the table":             {pair(replaced("[goal]\ndescription = ", "[goal]\ngoals = [\"Sell it\"]\ndescription = ")), "goal-multiple", true},
		"descriptions in the table":      {pair(replaced("[goal]\ndescription = \""+exampleGoal+"\"", "[goal]\ndescription = [\""+exampleGoal+"\", \"Sell it\"]")), "goal-multiple", true},
		"one description in a list":      {pair(replaced("[goal]\ndescription = \""+exampleGoal+"\"", "[goal]\ndescription = [\""+exampleGoal+"\"]")), "goal-missing", false},
		"one goal of the table":          {pair(replaced("[goal]\ndescription = ", "[goal]\ngoals = ")), "goal-missing", false},
		"a goal and its owner":           {retold("## Goal\n"+exampleGoal, "## Goal\n- "+exampleGoal+"\n- **Owner:** ana"), "goal-multiple", false},
		"critical perhaps":               {retold("**Critical:** true", "**Critical:** maybe"), "critical-differs", true},
		"a component of the parameters":  {pair(replaced("mode = \"silent\"\nmax_retries = 1", "components = [\"limit\"]\nmode = \"silent\"\nmax_retries = 1")), "component-ref-dangling", true},
		"a constraint of the parameters": {pair(replaced("mode = \"silent\"\nmax_retries = 1", "constraints = [\"max_latency\"]\nmode = \"silent\"\nmax_retries = 1")), "constraint-ref-dangling", true},
		"a step by all its numbers":      {retold("**Step [2]:** Log", "**Step [1.2]:** Log"), "step-missing-in-toml", false},
		"an empty goal":                  {retold("## Goal\n"+exampleGoal, "## Goal"), "goal-missing", true},
		"the same way":                   {retold("Generate it from the comments", "`Generate` it from the comments.\n    - all of it"), "backup-differs", false},
		"zero retries": {pair(replaced("max_retries = 1\n", "max_retries = 0\n")), "retries-negative",
			false},
		"retries in text":                       {pair(replaced("max_retries = 1\n", "max_retries = \"1\"\n")), "retries-negative", true},
		"a flag for all steps of a task":        {flagOfTask("critical_flag = true"), "critical-flag-missing", false},
		"minus one":                             {pair(replaced("max_retries = 1\n", "max_retries = -1\n")), "retries-negative", true},
		"a task that is critical has no backup": {flagOfTask("critical_flag = true"), "critical-step-no-backup", true},
		"a task that is critical":               {flagOfTask("critical_flag = true"), "critical-balance-all", true},
		"a task that is not critical":           {flagOfTask("critical_flag = false"), "critical-balance-none", true},
		"a backup whose action is the method": {pair(replaced("description = \"Use a library\"",
			"description = \"Use a library\"\naction = \"Count per client and second\"")), "backup-only-retry", true},
		"a backup with an action": {pair(replaced("description = \"Use a library\"",
			"description = \"Use a library\"\naction = \"Import it\"")), "backup-only-retry", false},
		"critical in text": {pair(replaced("critical_flag = true\nmode = \"silent\"\nmax_retries = 2\n", "critical_flag = \"perhaps\"\nmode = \"silent\"\nmax_retries = 2\n")), "critical-flag-missing", true},

		"a desktop app":                {full(window, desktop, app), "stack-incomplete", false},
		"a tool without deployment":    {full(window, "", strings.ReplaceAll(library, "library", "cli")), "stack-incomplete", false},
		"a service":                    {goalWithoutStack("Implement a REST service"), "stack-incomplete", true},
		"a library without a platform": {full(window, "[deployment]\n", library), "stack-incomplete", false},
		"without deployment type": {full(window, desktop, without(app, "deployment_type")), "stack-incomplete",
			true},
		"a deployment type that is an empty list": {full(window, desktop, strings.Replace(app, "\"desktop_app\"", "[]", 1)), "stack-incomplete", true},
		"a primary language that is false":        {full(window, desktop, strings.Replace(app, "\"go\"", "false", 1)), "stack-incomplete", true},
		"two primary languages":                   {full(window, desktop, strings.Replace(app, "\"go\"", "[\"go\", \"js\"]", 1)), "stack-incomplete", false},
		"without primary language":                {full(window, desktop, without(app, "primary_language")), "stack-incomplete", true},
		"without user interface":                  {full("", desktop, app), "stack-incomplete", true},
		"without required":                        {full("[user_interface]\ninterface_type = \"window\"\n", desktop, app), "stack-incomplete", true},
		"the interface is none":                   {full("[user_interface]\ntype = \"None\"\n", desktop, app), "stack-incomplete", false},
		"without interface type": {full(without(window, "interface_type"), desktop, app),
			"stack-incomplete", true},
		"without target users": {full(without(window, "target_users"), desktop, app),
			"stack-incomplete", true},
		"without skill level": {full(without(window, "skill_level"), desktop, app), "stack-incomplete",
			true},
		"no interface is required": {full("[user_interface]\nrequired = false\n", desktop, app), "stack-incomplete",
			false},
		"desktop without target platform": {full(window, without(desktop, "target_platform"), app),
			"stack-incomplete", true},
		"desktop without installation type": {full(window, without(desktop, "installation_type"), app), "stack-incomplete", true},
		"desktop without startup method": {full(window, without(desktop, "startup_method"), app),
			"stack-incomplete", true},
		"a Web App without startup method": {full(window, without(desktop, "startup_method"),
			strings.Replace(web, "web_app", "Web App", 1)), "stack-incomplete", true},
		"web without installation type": {full(window, without(desktop, "installation_type"), web), "stack-incomplete", true},
		"web without target platform": {full(window, without(desktop, "target_platform"), web), "stack-incomplete",
			true},
		"without a table of criteria": {pair(replaced("[completion_criteria]", "[other_criteria]")),
			"stack-incomplete", true},
		"build":   {goalWithoutStack("Build the page of it"), "stack-incomplete", true},
		"create":  {goalWithoutStack("Create the page of it"), "stack-incomplete", true},
		"develop": {goalWithoutStack("Develop the page of it"), "stack-incomplete", true},
		"system":  {goalWithoutStack("Write a system of it"), "stack-incomplete", true},
		"application": {goalWithoutStack("Write an application of it"), "stack-incomplete",
			true},
		"app":                              {goalWithoutStack("Write an app of it"), "stack-incomplete", true},
		"a web-app":                        {goalWithoutStack("Write the web-app of it"), "stack-incomplete", true},
		"a file-system":                    {goalWithoutStack("Write a file-system of it"), "stack-incomplete", true},
		"building is another word":         {goalWithoutStack("Paint the building of it"), "stack-incomplete", false},
		"a desktop app without packaging":  {full("[user_interface]\nrequired = false\n", desktop, app), "delivery-unsaid", true},
		"a desktop app with packaging":     {full("[user_interface]\nrequired = false\n", desktop, app+"packaging_method = \"installer\"\n"), "delivery-unsaid", false},
		"a desktop app with packagings":    {full("[user_interface]\nrequired = false\n", desktop, app+"packaging_method = [\"deb\", \"rpm\"]\n"), "delivery-unsaid", false},
		"an interface without a criterion": {full(window, desktop, library), "delivery-unsaid", true},
		"an interface with a criterion": {criterion(full(window, desktop, library),
			"interface_complete = false"), "delivery-unsaid", false},
		"an api with a criterion":    {criterion(goal("Build a limiter of the mail API"), "production_ready = true"), "delivery-unsaid", false},
		"an api without a criterion": {goal("Build a limiter of the mail API"), "delivery-unsaid", true},
		"something external": {goal("Build a limiter of an external mail box"), "delivery-unsaid",
			true},
		"nothing external":                   {goal("Build a limiter of the mail box"), "delivery-unsaid", false},
		"a goal that is not one of software": {goalWithoutStack("Document the page of it"), "stack-incomplete", false},
	} {
		t.Run(name, func(t *testing.T) {
			found := slices.ContainsFunc(check(t, tt.pair[0], tt.pair[1]),
				func(d plan.Diagnostic) bool { return d.Code == tt.code })
			if found != tt.want {
				t.Errorf("%s is found: %v, want %v", tt.code, found, tt.want)
			}
		})
	}
}

// goalWithoutStack is the example with another goal and nothing about software.
func goalWithoutStack(text string) [2]string {
	markdown, toml := example(false)
	from, to := strings.Index(toml, "[software_stack]"), strings.Index(toml, "[completion_criteria]")
	return [2]string{strings.ReplaceAll(markdown, exampleGoal, text),
		strings.ReplaceAll(toml[:from]+toml[to:], exampleGoal, text)}
}

// flagOfTask is the example with one line that says for all steps of the first task
// whether they are critical.
func flagOfTask(line string) [2]string {
	markdown, toml := replaced("critical_flag = true\nmode = \"silent\"\nmax_retries = 2\n", "mode = \"silent\"\nmax_retries = 2\n")
	toml = strings.Replace(toml, "critical_flag = false\n", "", 1)
	return [2]string{markdown, strings.Replace(toml, "description = \"Limit requests\"\n",
		"description = \"Limit requests\"\n"+line+"\n", 1)}
}

// A task waits for what its Markdown names, where the parameters say nothing.
func TestATaskWaitsForWhatItsMarkdownNames(t *testing.T) {
	const task = "### Task [2]: Document it\n"
	for said, want := range map[string]string{"**Depends on:** Task 1": "1", "- **Depends On:** `[task_1]`": "1",
		"**Depends on:** None": "", "**Depends on:** the weather": ""} {
		d := pairOf(t, task, task+said+"\n\n")
		if got := strings.Join(d.Plan.Tasks[1].DependsOn, ","); got != want {
			t.Errorf("%s: %q, and not %q", said, got, want)
		}
	}
}

// Every critical finding keeps the plan from being locked, and no warning does.
func TestOnlyErrorsHalt(t *testing.T) {
	for i, b := range breaches(t) {
		t.Run(b.Code, func(t *testing.T) {
			markdown, toml := b.broken(t)
			d, err := read(texts(markdown, toml))
			if err != nil {
				t.Fatal(err)
			}
			var refused *plan.CheckError
			if _, err := plan.Lock(d, plan.LockOptions{}); errors.As(err,
				&refused) != (rules()[i].severity == plan.Error) {
				t.Errorf("severity %s: %v", rules()[i].severity, err)
			}
		})
	}
}

// retold is the example with speclets, and one thing in the Markdown changed.
func retold(old, now string) [2]string {
	markdown, toml := example(true)
	return [2]string{strings.Replace(markdown, old, now, 1), toml}
}

// onTask is the example whose Markdown says one thing of a task, and of its first
// step neither flag nor mode.
func onTask(label string) [2]string {
	pair := retold("  - **Critical:** true\n  - **Mode:** silent\n", "")
	pair[0] = strings.Replace(pair[0], "### Task [1]: Limit requests\n", "### Task [1]: Limit requests\n"+label+"\n\n", 1)
	return pair
}

// criterion adds a line to the criteria of a pair.
func criterion(pair [2]string, line string) [2]string {
	return [2]string{pair[0], strings.Replace(pair[1], "[completion_criteria]\n", "[completion_criteria]\n"+line+"\n",
		1)}
}
