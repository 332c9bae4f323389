// Package deliveries is between the layer in which a run works and the
// workspace: it brings in what was accepted, and finds out what others did
// there.
//
// It is the only part of the engine that writes into the workspace of a run
// that works in a layer, by package checkpoint/delivery.
package deliveries
