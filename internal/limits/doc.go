// Limits measures planlock against the limits of the machine that it runs on:
// what a bare walk over the same files, a raw append with a sync, git, and
// SQLite take. Both sides of each ratio are measured in turn, in one run, and
// medians are compared; so a machine that is busy slows both. What others took
// of its processors meanwhile stands in each row.
//
//	go run ./internal/limits                                   # all rows, on trees of 12,000 and 20,000 entries
//	go run ./internal/limits -short                            # the same in about a minute
//	go run ./internal/limits -short -calm 8m                   # and again what other machines on the same hardware disturbed
//	go run ./internal/limits -trees large -rows 'scan|restore' # some rows, on 100,000 files
//	go run ./internal/limits -rows 'step' -cpuprofile cpu.out
//	go run ./internal/limits -trees small -rows memory          # what the command takes of memory in a run of 10,000 steps: minutes
//
// It is a module of its own, because nobody who uses planlock needs a database.
// docs/limits.md has the table, and what each row means.
package main
