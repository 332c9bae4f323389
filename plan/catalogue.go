package plan

func severityOf(code string) Severity { return Error }
