// Package process runs commands that never outlive the call.
package process
