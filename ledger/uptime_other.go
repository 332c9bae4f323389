//go:build !linux

package ledger

import "time"

func sinceBoot() time.Duration { return 0 }

func clockName() string { return "" }
