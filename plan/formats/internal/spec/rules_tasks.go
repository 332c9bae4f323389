package spec

// A goal without a task is a wish: each half has at least one.
func noTasks(c spot) {
	if len(c.h.tasks) == 0 {
		c.tell(0,
			c.byHalf("add a heading  ### Task [1]: what is done  and below it  - **Step [1]:** what is done first",
				"add a table  [[tasks]]  with id and description, and  [[tasks.steps]]  with id, description, "+
					"expected_output, critical_flag, mode and max_retries"), "there is no task")
	}
}

// An id names one task of its half.
func taskDuplicate(c spot) {
	first := map[string]*task{}
	for _, t := range c.h.tasks {
		if f := first[t.id]; f == nil {
			first[t.id] = t
		} else {
			c.of(t, nil).tell(t.at, "give one of them another id, in both files",
				"task %s is there already, in line %d", t.id, c.h.file.Offset(f.at).Line)
		}
	}
}

// Tasks and steps have ids; without one they are called by their place, which
// changes when another is put before.
func idMissing(j *judged, report reporter) {
	tasks(parameters, func(c spot) {
		if c.t.unnamed {
			c.tell(c.t.at, "add  id = "+c.t.short, "a task has no id; it is taken for task %s", c.t.id)
		}
	})(j, report)
	steps(parameters, func(c spot) {
		if c.s.unnamed {
			c.tell(c.s.at, "add  id = "+c.s.id, "a step of task %s has no id; it is taken for step %s", c.t.id, c.s.id)
		}
	})(j, report)
}

// A task says what it is: in Markdown behind its number, in TOML as description
// or name.
func taskNoDescription(c spot) {
	if c.t.title.text == "" {
		c.tell(c.t.at, c.byHalf("write the title behind the colon",
			`add  description = "…"`+quoted(c.called(c.t.id, ""))), "task %s does not say what it is", c.t.id)
	}
}

// A task without a step has nothing to carry out.
func taskNoSteps(c spot) {
	if len(c.t.steps) == 0 {
		c.tell(c.t.at, c.byHalf("add  - **Step [1]:** what is done  below its heading",
			"add  [[tasks.steps]]  below it, with id, description, expected_output, critical_flag, mode and "+
				"max_retries"),
			"task %s has no step", c.t.id)
	}
}

// manyAre more tasks than a plan should have.
const manyAre = 20

// More than 20 tasks are more than a person keeps in view.
func taskCountLarge(c spot) {
	if n := len(c.h.tasks); n > manyAre {
		c.tell(c.h.tasks[manyAre].at, "put steps that belong together into one task, or split the plan into several",
			"%d tasks are many", n)
	}
}

// A task waits for tasks that are there: depends_on has their ids.
func taskDepUnknown(c spot) {
	known := c.h.taskIDs()
	for _, t := range c.h.tasks {
		for _, name := range t.dependsOn {
			if !known[c.h.taskID(name, known)] {
				c.of(t, nil).tell(t.at, "write the id of a task that is there, or take it out",
					"task %s depends on %q, which is not there", t.id, shorten(name))
			}
		}
	}
}
