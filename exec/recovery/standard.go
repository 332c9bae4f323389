package recovery

// Standard is retry, then backup, then ask.
func Standard() Ladder { return Ladder{Retry{}, Backup{}, Ask{}} }
