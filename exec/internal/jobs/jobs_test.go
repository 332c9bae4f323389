package jobs_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/internal/jobs"
)

func TestParse(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	run := func(id string) jobs.Said { return jobs.Said{Kind: jobs.Run, Name: id} }
	file := func(p string) jobs.Said { return jobs.Said{Kind: jobs.Artifact, Name: p} }
	number := func(n string, v float64) jobs.Said { return jobs.Said{Kind: jobs.Metric, Name: n, Value: v} }
	invalid, text := jobs.Said{Kind: jobs.Invalid}, jobs.Said{}
	tests := map[string]struct {
		line string
		want jobs.Said
	}{
		"assigned run":             {"MLFLOW_RUN_ID=abc123def456", run("abc123def456")},
		"assigned run, windows":    {"MLFLOW_RUN_ID=abc\r", run("abc")},
		"run of any tracker":       {"TELEMETRY run_id=exp_7.A-1", run("exp_7.A-1")},
		"run without an id":        {"MLFLOW_RUN_ID=", invalid},
		"run of 64":                {"MLFLOW_RUN_ID=" + long(64), run(long(64))},
		"run of 65":                {"MLFLOW_RUN_ID=" + long(65), invalid},
		"run with a path":          {"MLFLOW_RUN_ID=../x", invalid},
		"run in the middle":        {"echo MLFLOW_RUN_ID=abc", text},
		"spoken run":               {"MLflow Run ID: abc123def456", run("abc123def456")},
		"spoken run in a log":      {"INFO MLflow Run ID:0af, see there", run("0af")},
		"spoken run, not hex":      {"MLflow Run ID: xyz", invalid},
		"spoken run, other case":   {"mlflow run id: abc", text},
		"artifact":                 {"  ARTIFACT results/a b.json ", file("results/a b.json")},
		"artifact, assigned":       {"ARTIFACT=a.json", file("a.json")},
		"artifact, colon":          {"ARTIFACT: ä.json", file("ä.json")},
		"artifact without a path":  {"ARTIFACT ", text},
		"artifact, equals nothing": {"ARTIFACT=", invalid},
		"artifacts are counted":    {"ARTIFACTS 12", text},
		"artifact of 1024":         {"ARTIFACT " + long(1024), file(long(1024))},
		"artifact of 1025":         {"ARTIFACT " + long(1025), invalid},
		"artifact with escapes":    {"ARTIFACT a\x1b[2J", invalid},
		"artifact, broken UTF-8":   {"ARTIFACT \xff\xfe", invalid},
		"metric":                   {"METRIC accuracy=0.93", number("accuracy", 0.93)},
		"metric, colon":            {"METRIC: loss = -1e-3", number("loss", -1e-3)},
		"metric, general":          {"TELEMETRY metric.f1=1", number("f1", 1)},
		"metric without a value":   {"METRIC accuracy", invalid},
		"metric without a name":    {"METRIC =1", invalid},
		"metric, two words":        {"METRIC a b=1", invalid},
		"metric, infinite":         {"METRIC a=Inf", invalid},
		"metric, not a number":     {"METRIC a=NaN", invalid},
		"metric, hexadecimal":      {"METRIC a=0x1p-2", invalid},
		"metric, too large":        {"METRIC a=1e999", invalid},
		"metric of 200":            {"METRIC " + long(200) + "=1", number(long(200), 1)},
		"metric of 201":            {"METRIC " + long(201) + "=1", invalid},
		"general, unknown key":     {"TELEMETRY epoch=3", text},
		"general, no key":          {"TELEMETRY started", text},
		"small letters":            {"metric accuracy=1", text},
		"a JSON line":              {`{"type":"metric","name":"a","value":1}`, text},
		"line of 4097":             {"MLflow Run ID: a " + long(4096-16), text},
		"line of 4096":             {"MLflow Run ID: a " + long(4096-17), run("a")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, jobs.Parse(test.line)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestStreamsKeepTheirLines: wherever the output is cut, the same is read, and
// two programs at a time do not mix their lines.
func TestStreamsKeepTheirLines(t *testing.T) {
	const text = "start\nMLFLOW_RUN_ID=r1\r\nARTIFACT a.json\nARTIFACT a.json\nMETRIC x=1\nMETRIC x=2\nMLFLOW_RUN_ID=r2"
	want := jobs.Telemetry{Runs: []string{"r1", "r2"}, Artifacts: []string{"a.json"},
		Metrics: map[string]float64{"x": 2}}
	for size := 1; size <= len(text); size++ {
		var c jobs.Collector
		s, other := c.Stream(), c.Stream()
		for at := 0; at < len(text); at += size {
			io.WriteString(s, text[at:min(len(text), at+size)])
			io.WriteString(other, "noise ")
		}
		s.Close()
		other.Close()
		if diff := cmp.Diff(want, c.Telemetry()); diff != "" {
			t.Fatalf("in pieces of %d: %s", size, diff)
		}
	}
}

func TestBounds(t *testing.T) {
	lines := func(n int, format string) jobs.Telemetry {
		var c jobs.Collector
		s := c.Stream()
		for i := range n {
			fmt.Fprintf(s, format+"\n", i)
		}
		return c.Telemetry()
	}
	tests := map[string]struct {
		format string
		limit  int
		count  func(jobs.Telemetry) int
	}{
		"runs":      {"MLFLOW_RUN_ID=r%d", jobs.MaxRuns, func(t jobs.Telemetry) int { return len(t.Runs) }},
		"artifacts": {"ARTIFACT a%d", jobs.MaxArtifacts, func(t jobs.Telemetry) int { return len(t.Artifacts) }},
		"metrics":   {"METRIC m%d=1", jobs.MaxMetrics, func(t jobs.Telemetry) int { return len(t.Metrics) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := lines(test.limit, test.format); test.count(got) != test.limit || got.Dropped != 0 {
				t.Errorf("of %d, %d were kept and %d dropped", test.limit, test.count(got), got.Dropped)
			}
			if got := lines(test.limit+1, test.format); test.count(got) != test.limit || got.Dropped != 1 {
				t.Errorf("of %d, %d were kept and %d dropped, want 1", test.limit+1, test.count(got), got.Dropped)
			}
		})
	}
	t.Run("bytes", func(t *testing.T) {
		name := "ARTIFACT " + strings.Repeat("p", 1020) + "%04d"
		if got := lines(jobs.MaxBytes/1024+1, name); len(got.Artifacts) != jobs.MaxBytes/1024 || got.Dropped != 1 {
			t.Errorf("%d were kept and %d dropped, want %d and 1", len(got.Artifacts), got.Dropped, jobs.MaxBytes/1024)
		}
	})
}

func TestALongLineHidesNothing(t *testing.T) {
	var c jobs.Collector
	s := c.Stream()
	fmt.Fprintf(s, "ARTIFACT %s\nMETRIC a=1\n", strings.Repeat("x", 1<<20))
	if diff := cmp.Diff(jobs.Telemetry{Metrics: map[string]float64{"a": 1}}, c.Telemetry()); diff != "" {
		t.Error(diff)
	}
}

func TestAdd(t *testing.T) {
	var c jobs.Collector
	c.Add(jobs.Telemetry{Runs: []string{"r", "r", "no id"}, Artifacts: []string{"a"},
		Metrics: map[string]float64{"m": 1, "": 2}})
	want := jobs.Telemetry{Runs: []string{"r"}, Artifacts: []string{"a"}, Metrics: map[string]float64{"m": 1},
		Dropped: 2}
	if diff := cmp.Diff(want, c.Telemetry()); diff != "" {
		t.Error(diff)
	}
}

func TestConcurrentStreams(t *testing.T) {
	var c jobs.Collector
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			s := c.Stream()
			for j := range 10 {
				fmt.Fprintf(s, "MLFLOW_RUN_ID=r%d.%d\n", i, j)
			}
		})
	}
	wait.Wait()
	if got := len(c.Telemetry().Runs); got != 80 {
		t.Errorf("%d runs were kept, want 80", got)
	}
}

// FuzzStream: nothing that a program prints breaks the reader or its bounds,
// and the places where writes are cut do not matter.
func FuzzStream(f *testing.F) {
	f.Add([]byte("MLFLOW_RUN_ID=abc\nARTIFACT a\nMETRIC m=1\n"), 3)
	f.Add([]byte("MLflow Run ID: ff\r\nTELEMETRY metric.a=1e3\n\xff"), 1)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		var whole, pieces jobs.Collector
		s := whole.Stream()
		s.Write(text)
		s.Close()
		size = max(1, min(size, len(text)))
		s = pieces.Stream()
		for at := 0; at < len(text); at += size {
			s.Write(text[at:min(len(text), at+size)])
		}
		s.Close()
		got := whole.Telemetry()
		if diff := cmp.Diff(got, pieces.Telemetry()); diff != "" {
			t.Fatal(diff)
		}
		if len(got.Runs) > jobs.MaxRuns || len(got.Artifacts) > jobs.MaxArtifacts ||
			len(got.Metrics) > jobs.MaxMetrics {
			t.Fatal("more than the bounds allow")
		}
		for _, id := range got.Runs {
			if again := jobs.Parse("MLFLOW_RUN_ID=" + id); again.Kind != jobs.Run || again.Name != id {
				t.Fatalf("run %q is no run", id)
			}
		}
	})
}

func BenchmarkStream(b *testing.B) {
	text := []byte(strings.Repeat("epoch 1: all is well and nothing is to be seen here\n", 100) + "METRIC loss=0.1\n")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var c jobs.Collector
		c.Stream().Write(text)
	}
}

func ExampleCollector() {
	var said jobs.Collector
	out := said.Stream()
	io.WriteString(out, "loading the model\nMLFLOW_RUN_ID=9f2c\nARTIFACT results/base.json\nMETRIC accuracy=0.93\n")
	out.Close()
	t := said.Telemetry()
	fmt.Println(t.Runs, t.Artifacts, t.Metrics)
	// Output: [9f2c] [results/base.json] map[accuracy:0.93]
}

// TestNumbers fails if a bound is moved by one; TestBounds shows that each of
// them is held.
func TestNumbers(t *testing.T) {
	got := []int{jobs.MaxRuns, jobs.MaxArtifacts, jobs.MaxMetrics, jobs.MaxBytes, jobs.MaxLine}
	if diff := cmp.Diff([]int{100, 1000, 1000, 262144, 4096}, got); diff != "" {
		t.Error(diff)
	}
}
