// Package native reads and writes the TOML format of planlock, and describes
// it: as a JSON schema ([Schema]) and as a list of keys ([Fields]). What the
// keys are is said in package plan, once for all of this.
package native
