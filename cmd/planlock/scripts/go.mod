module github.com/planlock/planlock/cmd/planlock/scripts

go 1.25.0

require (
	github.com/pelletier/go-toml/v2 v2.4.3
	github.com/planlock/planlock v0.0.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.2
)

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	github.com/oklog/ulid/v2 v2.1.2 // indirect
	golang.org/x/sys v0.26.0 // indirect
	golang.org/x/text v0.14.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)

replace github.com/planlock/planlock => ../../..
