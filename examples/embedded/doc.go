// Command embedded shows planlock inside a program of one's own: once as simple
// as it gets, and once composed of the host's own parts.
//
//	go run ./examples/embedded
package main
