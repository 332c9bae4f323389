// Package screen shows people how a run goes and where it stands.
package screen
