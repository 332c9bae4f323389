// Package config reads what people have settled beforehand of how plans are run:
// planlock.toml of a repository, and config.toml of a user.
//
// It is pure: [Read] makes settings of a text, each with its place, and a
// [Config] has those of several files, of which the first that says something
// counts. Who finds the files, and what the words of a setting mean, is the
// matter of the command.
//
// A text is a plan, and no configuration, if it has a key or a table at its top
// that plans have and configurations do not, as schema, goal or tasks: see
// [IsPlan].
package config
