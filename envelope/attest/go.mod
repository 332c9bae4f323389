module github.com/planlock/planlock/envelope/attest

go 1.25.0

require (
	github.com/in-toto/attestation v1.2.0
	github.com/planlock/planlock v0.1.0
	github.com/secure-systems-lab/go-securesystemslib v0.11.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	github.com/oklog/ulid/v2 v2.1.2 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/crypto v0.50.0 // indirect
	golang.org/x/sys v0.43.0 // indirect
)

replace github.com/planlock/planlock => ../..
