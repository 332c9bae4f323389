module github.com/planlock/planlock/cmd/planlock-worker

go 1.26.0

require (
	github.com/planlock/planlock/checkpoint/cloud v0.1.0
	github.com/planlock/planlock/checkpoint/postgres v0.1.0
	github.com/planlock/planlock/checkpoint/sqlite v0.1.0
	github.com/planlock/planlock/cmd v0.1.0
	github.com/planlock/planlock/exec/postgres v0.1.0
)
