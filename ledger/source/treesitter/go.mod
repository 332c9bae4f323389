module github.com/planlock/planlock/ledger/source/treesitter

go 1.25.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/planlock/planlock v0.1.0
	github.com/tetratelabs/wazero v1.12.0
)

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sys v0.44.0 // indirect
)

replace github.com/planlock/planlock => ../../..
