package types

import "testing"

func TestCovers(t *testing.T) {
	tests := []struct {
		test, folder string
		want         bool
	}{
		{"go test ./server -run Limit", "server", true},
		{"go test ./server -run Limit", "server/sub", false},
		{"go test ./server -run Limit", "", false},
		{"go test ./server/... ./x", "server/sub", true},
		{"go test ./...", "any/where", true},
		{"go test ./...", "", true},
		{"go test .", "", true},
		{"go test .", "server", false},
		{"go test", "", true},
		{"go test", "server", false},
		{"make test", "server", true},
		{"cd server && go test", "server", true},
		{"go test ./serverless", "server", false},
	}
	for _, tt := range tests {
		if got := covers(tt.test, tt.folder); got != tt.want {
			t.Errorf("covers(%q, %q) is %v", tt.test, tt.folder, got)
		}
	}
}
