package guard

// Table lists the guards of a step that has not begun, in the order in which
// they are asked. The first one that does not let the step pass is heard; after
// what comes of it all are asked again.
func Table() []Guard {
	return []Guard{
		Of("dependency", dependency),   // an earlier step that it needs is missing
		Of("threshold", threshold),     // failures pile up, so dynamic mode asks
		Of("unproven", unproven),       // a task that it needs left no evidence
		Of("binding", binding),         // something moved, or somebody changed the tree
		Of("done", done),               // its work was acknowledged as done
		Of("approval", approval),       // the reviewers decide about its task
		Of("repetition", repetition),   // it cannot be undone, and would run once more
		Of("checkpoint", checkpoint),   // the plan wants a person here
		Of("compliance", compliant),    // its task does not keep the articles
		Of("feasibility", feasibility), // advisors are heard before its task
		Of("propagation", propagation), // what follows from earlier failures
		Of("education", education),     // it is explained first
	}
}

// Always lists the guards that are asked before anything else is done about a
// step, also about one that is under way.
func Always() []Guard {
	return []Guard{
		Of("request", request), // a person wants the run to stop and ask
		Of("budget", budget),   // the tokens of this session are nearly used up
		Of("stage", stage),     // a speclet failed that others wait for
	}
}
