package probe

// An Agent is an executor, gate or advisor that takes part, with the version it
// reports.
type Agent struct {
	Name     string
	Version  string
	Identity string // see gate.Identified; "" if it has none
}

// NeedsOf begins the names of components that say what an agent needs.
const NeedsOf = "needs of "

// Spec says what to look at.
type Spec struct {
	Dir             string   // the workspace; relative names below are relative to it and never leave it
	Model           string   // "": none
	PromptTemplates []string // files
	Context         []string // globs; what lies below .git and .planlock never matches
	Tools           []string // programs: digest of the program and its version text
	Toolchain       []string // as Tools, named "toolchain:"
	Config          []string // files
	Rules           []string // texts that decide: names and versions of gates, check kinds, thresholds
	Agents          []Agent  //
	Needs           []Agent  // what they need, by their names, as a text in Version
	Isolation       string   // the level that was reached
}
