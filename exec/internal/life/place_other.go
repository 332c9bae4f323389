//go:build !linux

package life

import "github.com/planlock/planlock/ledger"

// Elsewhere neither free space nor mounts are looked at.
func freeFor(string) (free uint64, known bool) { return 0, false }

func taken(_ string, e ledger.Entry) uint64 { return uint64(max(e.Size, 0)) }

func mountsIn(string) []string { return nil }
