package plan

import (
	"fmt"
	"slices"
	"strings"
)

func (c *checker) checkTask(i int, t *Task) {
	c.id("task", "id", t.ID)
	if first, ok := c.tasks[t.ID]; ok && first != i && t.ID != "" {
		c.report("task-duplicate-id", "id", fmt.Sprintf("there are two tasks %q", t.ID), "give each an id of its own")
	}
	if t.Description == "" && t.Title == "" {
		c.report("text-missing", "", fmt.Sprintf("task %q has no description", t.ID), `add  description = "What the task brings about"`)
	}
	c.prose("description", t.Description)
	c.prose("title", t.Title)
	if len(t.Steps) == 0 {
		c.report("no-steps", "", fmt.Sprintf("task %q has no steps", t.ID), "add  [[tasks.steps]]")
	}
	for k, id := range t.DependsOn {
		if _, ok := c.tasks[id]; !ok {
			c.report("task-dep-unknown", fmt.Sprintf("depends_on[%d]", k), fmt.Sprintf("task %q depends on %q, which is not there", t.ID, id),
				c.near(id, func(yield func(string) bool) {
					for _, t := range c.p.Tasks {
						if !yield(t.ID) {
							return
						}
					}
				}))
		}
	}
}

// near makes a hint of the name that is nearest to a wrong one, among the first
// hundred.
func (c *checker) near(word string, names func(func(string) bool)) string {
	var list []string
	names(func(name string) bool {
		list = append(list, name)
		return len(list) < 100
	})
	if near := Nearest(word, list); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "name one that is there, or add it"
}

func (c *checker) speclets() {
	at := indexSpeclets(c.p)
	member := map[string]string{}
	seen := map[string]bool{}
	for i, s := range c.p.Speclets {
		key := fmt.Sprintf("speclets[%d]", i)
		c.id("speclet", key+".id", s.ID)
		if seen[s.ID] && s.ID != "" {
			c.report("speclet-duplicate-id", key+".id", fmt.Sprintf("there are two speclets %q", s.ID), "give each an id of its own")
		}
		seen[s.ID] = true
		c.prose(key+".description", s.Description)
		for k, id := range s.DependsOn {
			if _, ok := at[id]; !ok {
				c.report("speclet-dep-unknown", fmt.Sprintf("%s.depends_on[%d]", key, k), fmt.Sprintf("speclet %q depends on %q, which is not there", s.ID, id), "name a speclet that is there")
			}
		}
		for k, id := range s.Tasks {
			place := fmt.Sprintf("%s.tasks[%d]", key, k)
			if _, ok := c.tasks[id]; !ok {
				c.report("speclet-task-unknown", place,
					fmt.Sprintf("speclet %q has a task %q, which is not there", s.ID, id), "name a task that is there")
			} else if other, ok := member[id]; ok {
				c.report("task-in-several-speclets", place,
					fmt.Sprintf("task %q is in the speclets %q and %q", id, other, s.ID), "keep it in one")
			} else {
				member[id] = s.ID
			}
		}
	}
	if len(c.p.Speclets) == 0 {
		return
	}
	for i, t := range c.p.Tasks {
		if _, ok := member[t.ID]; !ok {
			c.report("task-unassigned", fmt.Sprintf("tasks[%d].id", i), fmt.Sprintf("task %q is in no speclet", t.ID), "add it to the tasks of one")
		}
	}
}

// graph reports cycles, each in full, and remembers the order of the steps.
func (c *checker) graph() {
	tasks := c.p.taskGraph()
	inTasks := tasks.Cycles()
	for _, cycle := range inTasks {
		i := c.tasks[cycle[0]]
		c.report("task-cycle", fmt.Sprintf("tasks[%d].depends_on", i), "tasks wait for each other: "+chain(cycle), "take one of the dependencies out")
	}
	inSpeclets := c.p.specletGraph().Cycles()
	at := indexSpeclets(c.p)
	for _, cycle := range inSpeclets {
		c.report("speclet-cycle", fmt.Sprintf("speclets[%d].depends_on", at[cycle[0]]),
			"speclets wait for each other: "+chain(cycle), "take one of the dependencies out")
	}
	if len(inTasks)+len(inSpeclets) == 0 && len(c.p.Speclets) > 0 {
		for _, cycle := range c.p.jointGraph(tasks).Cycles() {
			c.report("order-cycle", "speclets", "the dependencies of tasks and of speclets contradict each other: "+
				chain(cycle), "move a task to another speclet, or take a dependency out")
		}
	}
	c.order = make(map[Address]int, len(c.steps))
	c.sequence = c.p.Graph().Order
	for i, a := range c.sequence {
		if _, ok := c.order[a]; !ok {
			c.order[a] = i
		}
	}
}

// chain names a cycle in full; one of many thousand keeps its ends.
func chain(cycle []string) string {
	const most = 200
	if n := len(cycle); n > most {
		cycle = slices.Concat(cycle[:most/2], []string{fmt.Sprintf("… %d more …", n-most)}, cycle[n-most/2:])
	}
	return strings.Join(cycle, " → ")
}

func (c *checker) coverage() {
	for i, r := range c.p.Requirements {
		if !c.served[r.ID] && r.ID != "" {
			c.report("requirement-unmapped", fmt.Sprintf("requirements[%d].id", i), fmt.Sprintf("no step serves requirement %q", r.ID),
				fmt.Sprintf("add  requirements = [%q]  to a step, or take the requirement out", r.ID))
		}
	}
	if !c.strict || c.p.Invariants != nil {
		return
	}
	for i, t := range c.p.Tasks {
		for j, s := range t.Steps {
			if s.Artifacts != nil && len(publicSymbols(s.Artifacts)) > 0 {
				c.report("invariants-undeclared", fmt.Sprintf("tasks[%d].steps[%d].artifacts", i, j),
					fmt.Sprintf("step %s changes public symbols, and the plan has no invariants",
						addressOf(t.ID, s.ID)),
					"add  [[invariants]], or  invariants = []  if nothing must hold")
				return
			}
		}
	}
}
