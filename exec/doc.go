// Package exec carries out locked plans.
package exec
