// Package gate judges: what may look at a step, and what it says.
package gate
