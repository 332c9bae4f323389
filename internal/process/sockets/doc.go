// Package sockets finds the unix sockets that have a path on this machine: the
// doors of daemons, by which a command could have done for it what it may not
// do itself.
package sockets
