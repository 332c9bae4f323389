// Package planlock is the root of a library that executes plans as contracts.
package planlock
