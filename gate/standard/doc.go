// Package standard holds the built-in gates and the built-in kinds of checks.
package standard
