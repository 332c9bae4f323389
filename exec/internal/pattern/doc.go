// Package pattern says how well a plan fits the pattern that it was made from,
// as the plan itself names it in its settings: which technologies are missing,
// and how risky that is.
package pattern
