package ask

// Teaching is what education mode explains before a step: the situation, the
// approaches that there are with what speaks for and against them, which of
// them is recommended, and why.
type Teaching struct {
	Situation   string     `json:"situation"`
	Approaches  []Approach `json:"approaches"`
	Recommended string     `json:"recommended"` // the method that is recommended
	Rationale   string     `json:"rationale,omitempty"`
	// Depth is how deep approaches are compared: "brief", "moderate" or
	// "detailed".
	Depth string `json:"depth,omitempty"`
	// More is a deeper explanation, a line each: it was asked for.
	More []string `json:"more,omitempty"`
}

// An Approach is one way to do a step.
type Approach struct {
	Key         string   `json:"key"`    // what is typed to choose it, where that is a choice: "A"
	Method      string   `json:"method"` // "primary", "backup_1"
	Description string   `json:"description"`
	Pros        []string `json:"pros,omitempty"`
	Cons        []string `json:"cons,omitempty"`
	// Details are examples and trade-offs, as deep as the comparison goes.
	Details []string `json:"details,omitempty"`
}
