package cmd

// examples are calls of a command as they are typed, the plainest first. Each of
// them runs: in a workspace with a plan, plan.toml, and where the command is
// about a run, with one that has ended or waits.
func examples(name string) []string {
	switch name {
	case "init":
		return []string{"planlock init --dry-run", "planlock init"}
	case "new":
		return []string{"planlock new --list", "planlock new --from . -o first.toml"}
	case "check":
		return []string{"planlock check plan.toml", "planlock check - --format json < plan.toml"}
	case "agents":
		return []string{"planlock agents", "planlock agents --needs --format json"}
	case "lock":
		return []string{"planlock lock plan.toml", "planlock lock plan.toml --preset assistant -o plan.lock.json"}
	case "graph":
		return []string{"planlock graph plan.toml", "planlock graph plan.toml --format dot > /tmp/plan.dot"}
	case "convert":
		return []string{"planlock convert plan.toml -o /tmp/native.toml", "planlock convert plan.toml --dir . | less"}
	case "run":
		return []string{"planlock run plan.toml", "planlock run plan.toml --isolate --jobs 2 --answers wait"}
	case "resume":
		return []string{"planlock resume", "planlock resume --answers refuse"}
	case "status":
		return []string{"planlock status", "planlock status --watch --format json"}
	case "answer":
		return []string{"planlock answer q1 r", "planlock answer q1 k --ack 'skip 1.2' --reason 'not needed any more'"}
	case "choices":
		return []string{"planlock choices", "planlock choices --dir ."}
	case "amend":
		return []string{"planlock amend plan.toml", "planlock amend plan.toml --reason 'one more file' --format json"}
	case "obsolete":
		return []string{"planlock obsolete --reason 'the interface changed'", "planlock status"}
	case "abandon":
		return []string{"planlock abandon --reason 'nobody wants it any more'", "planlock report"}
	case "rollback":
		return []string{"planlock rollback 1.1", "planlock rollback 1.1 --request --reason 'it builds on a mistake'"}
	case "worker":
		return []string{"planlock worker --store postgres://db/plans --engine postgres", "planlock worker --store postgres://db/plans --engine temporal://localhost:7233/default --stand-by /srv/plans"}
	case "serve":
		return []string{"planlock serve", "planlock serve --listen :8080 --by ana"}
	case "report":
		return []string{"planlock report", "planlock report --format junit -o /tmp/junit.xml"}
	case "log":
		return []string{"planlock log --step 1.1 --since 1h", "planlock log --follow --format jsonl"}
	case "diff":
		return []string{"planlock diff 1.1", "planlock diff 1.1 --attempt 1 --format json"}
	case "verify":
		return []string{"planlock verify", "planlock verify --contents"}
	case "attest":
		return []string{"planlock attest -o run.intoto.json", "planlock attest --type provenance --format bundle"}
	case "tree":
		return []string{"planlock tree .", "planlock tree . --format jsonl"}
	case "learn":
		return []string{"planlock learn", "planlock learn audit"}
	case "gc":
		return []string{"planlock gc --dry-run", "planlock gc"}
	case "mcp":
		return []string{"claude mcp add planlock -- planlock mcp", "planlock mcp --dir . --mode silent"}
	case "config":
		return []string{"planlock config", "planlock config --mode silent --format json"}
	case "key":
		return []string{"planlock key", "planlock key list"}
	case "man":
		return []string{"planlock man | man -l -", "planlock man > /tmp/planlock.1"}
	case "version":
		return []string{"planlock version", "planlock version --format json"}
	case "completion":
		return []string{"source <(planlock completion bash)", "planlock completion fish | source"}
	}
	return nil
}
