module github.com/planlock/planlock/exec/git

go 1.25.0

require github.com/planlock/planlock v0.1.0

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	github.com/oklog/ulid/v2 v2.1.2 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)

replace github.com/planlock/planlock => ../..
