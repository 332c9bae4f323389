package plan_test

import (
	"testing"

	"github.com/planlock/planlock/plan"
)

func TestBuilds(t *testing.T) {
	for goal, want := range map[string]string{
		"Build a limiter":                           "build",
		"Write a system of it":                      "system",
		"Implement a REST service":                  "service",
		"Write a mobile game":                       "game",
		"Implement a REST API for orders":           "api",
		"Make a command-line tool that greets":      "tool",
		"Write a game as an app":                    "app",
		"Write a report about the service":          "",
		"Write service documentation":               "",
		"Implement unit tests for the server":       "",
		"Write a web-app":                           "app",
		"Document the file-system":                  "system",
		"Paint the building":                        "",
		"Document the API":                          "",
		"Write down how the tool is used by people": "",
		"": "",
	} {
		if got := plan.Builds(goal); got != want {
			t.Errorf("%q: %q, want %q", goal, got, want)
		}
	}
}
