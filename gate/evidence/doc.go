// Package evidence looks for what a task should have left behind.
package evidence
