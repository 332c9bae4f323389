// Limits measures planlock against the limits of the machine that it runs on: what a bare walk over the same files, a raw append with a
// sync, git, and SQLite take. Both sides of each ratio are measured in turn, in one run, and medians are compared; so a machine that is busy slows both.
//
//	go run ./internal/limits                                   # all rows, on trees of 12,000 and 20,000 entries
//	go run ./internal/limits -short                            # the same in less than a minute
//	go run ./internal/limits -trees large -rows 'scan|restore' # some rows, on 100,000 files
//	go run ./internal/limits -rows 'step' -cpuprofile cpu.out
//
// It is a module of its own, because nobody who uses planlock needs a database. docs/limits.md has the table, and what each row means.
package main
