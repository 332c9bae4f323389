package otlp_test

import (
	"context"
	_ "embed" // the plan
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/otel"
	"github.com/planlock/planlock/exec/otel/otlp"
)

// thePlan has one step; internal/interop has a collector told of it too.
//
//go:embed testdata/plan.toml
var thePlan string

// A received is what a collector reads of a message, in the words of OTLP.
type received struct {
	ResourceSpans []struct {
		Resource   attributed
		ScopeSpans []struct {
			Spans []struct {
				attributed
				TraceID, SpanID, ParentSpanID, Name string
				Kind                                int
				StartTimeUnixNano, EndTimeUnixNano  string
				Links                               []struct{ TraceID, SpanID string }
				Status                              struct{ Code int }
			}
		}
	}
	ResourceMetrics []struct {
		ScopeMetrics []struct {
			Metrics []struct {
				Name      string
				Sum       *struct{ DataPoints []point }
				Histogram *struct{ DataPoints []point }
			}
		}
	}
}

type attributed struct {
	Attributes []struct {
		Key   string
		Value struct{ StringValue string }
	}
}

type point struct {
	AsInt, Count   string
	BucketCounts   []string
	ExplicitBounds []float64
}

// A collector keeps what it receives.
type collector struct {
	sync.Mutex
	t       *testing.T
	spans   map[string]int
	figures map[string]int
	service string
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	c.Lock()
	defer c.Unlock()
	body, err := io.ReadAll(r.Body)
	var m received
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	if err != nil || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Key") != "a b" {
		c.t.Errorf("%s with %v: %v", r.URL, r.Header, err)
	}
	hexadecimal := regexp.MustCompile(`^([0-9a-f]{32}){0,1}/[0-9a-f]{16}$`)
	for _, of := range m.ResourceSpans {
		for _, a := range of.Resource.Attributes {
			if a.Key == "service.name" {
				c.service = a.Value.StringValue
			}
		}
		for _, s := range of.ScopeSpans[0].Spans {
			from, errFrom := strconv.ParseInt(s.StartTimeUnixNano, 10, 64)
			to, errTo := strconv.ParseInt(s.EndTimeUnixNano, 10, 64)
			if !hexadecimal.MatchString(s.TraceID+"/"+s.SpanID) || errFrom != nil || errTo != nil || from > to ||
				s.Kind != 1 ||
				(s.ParentSpanID == "") != (s.Name == otel.SpanRun) {
				c.t.Errorf("span %+v", s)
			}
			c.spans[s.Name]++
			c.spans[s.Name+" status "+strconv.Itoa(s.Status.Code)]++
			c.spans["links"] += len(s.Links)
		}
	}
	for _, of := range m.ResourceMetrics {
		for _, f := range of.ScopeMetrics[0].Metrics {
			switch {
			case f.Sum != nil:
				for _, p := range f.Sum.DataPoints {
					n, _ := strconv.Atoi(p.AsInt)
					c.figures[f.Name] += n
				}
			case f.Histogram != nil:
				for _, p := range f.Histogram.DataPoints {
					n, _ := strconv.Atoi(p.Count)
					c.figures[f.Name] += n
					if len(p.BucketCounts) != len(p.ExplicitBounds)+1 {
						c.t.Errorf("%s has %d counts for %d bounds", f.Name, len(p.BucketCounts), len(p.ExplicitBounds))
					}
				}
			}
		}
	}
}

// run has an exporter told of a run that tries its step twice.
func run(t *testing.T, to *otlp.Exporter) {
	t.Helper()
	b := exectest.New(t, thePlan, nil, exectest.Script{
		"1.1": exectest.Attempts(exectest.Fail("no"), exectest.Write("a", "a\n"))})
	b.Controller.Observe = to.Observe
	b.Run(t).Want(t, history.Achieved)
}

// environment is one with the given variables.
func environment(t *testing.T, variables map[string]string) otlp.Config {
	t.Helper()
	c, there, err := otlp.Environment(func(name string) string { return variables[name] })
	if err != nil || !there {
		t.Fatalf("%v, %t", err, there)
	}
	return c
}

func TestCollector(t *testing.T) {
	c := &collector{t: t, spans: map[string]int{}, figures: map[string]int{}}
	server := httptest.NewServer(c)
	defer server.Close()
	to, err := otlp.New(environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL + "/",
		"OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b"}))
	if err != nil {
		t.Fatal(err)
	}
	run(t, to)
	if err := to.Close(t.Context()); err != nil {
		t.Error(err)
	}
	c.Lock()
	defer c.Unlock()
	for name, want := range map[string]int{otel.SpanRun: 1, otel.SpanTask: 1, otel.SpanStep: 1, otel.SpanAttempt: 2,
		otel.SpanAttempt + " status 2": 1, otel.SpanAttempt + " status 1": 1, "links": 1} {
		if c.spans[name] != want {
			t.Errorf("%d of %s, want %d", c.spans[name], name, want)
		}
	}
	for name, want := range map[string]int{otel.MetricRuns: 1, otel.MetricSteps: 1, otel.MetricAttempts: 2,
		otel.MetricAttemptDuration: 2, otel.MetricGates: c.spans[otel.SpanGate], otel.MetricRecoveries: 1} {
		if c.figures[name] != want || want == 0 {
			t.Errorf("%s is %d, want %d", name, c.figures[name], want)
		}
	}
	if c.service != "planlock" {
		t.Errorf("the service is %q", c.service)
	}
}

// A collector that does not answer holds no run up, and Close no longer than it is
// told to wait. What went wrong names neither keys nor the path.
func TestNobodyIsHeldUp(t *testing.T) {
	over := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer silent.Close()
	defer close(over)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was asked, with %v", r.URL, r.Header)
	}))
	defer elsewhere.Close()
	moved := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer moved.Close()
	for name, at := range map[string]string{"silent": silent.URL, "gone": gone.URL, "moved": moved.URL} {
		t.Run(name, func(t *testing.T) {
			to, err := otlp.New(otlp.Config{Endpoint: at + "/hunter2?key=hunter2", Header: http.Header{"Key": {"hunter2"}}})
			if err != nil {
				t.Fatal(err)
			}
			run(t, to)
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			began := time.Now()
			err = to.Close(ctx)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("closing took %s", took)
			}
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		variables map[string]string
		there     bool
		refused   string
	}{
		"nothing":  {nil, false, ""},
		"endpoint": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318"}, true, ""},
		"disabled": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h", "OTEL_SDK_DISABLED": "true"}, false, ""},
		"grpc": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false,
			`is "grpc": only HTTP`},
		"headers": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h",
			"OTEL_EXPORTER_OTLP_HEADERS": "hunter2"}, false, "no list of NAME=VALUE"},
	} {
		_, there, err := otlp.Environment(func(name string) string { return c.variables[name] })
		if there != c.there || (err != nil) != (c.refused != "") ||
			err != nil && (!strings.Contains(err.Error(), c.refused) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: %t, %v", name, there, err)
		}
	}
	for _, at := range []string{"", "localhost:4318", "ftp://h", "http://", "://"} {
		if _, err := otlp.New(otlp.Config{Endpoint: at}); err == nil {
			t.Errorf("%q is no endpoint", at)
		}
	}
}
