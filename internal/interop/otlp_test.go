package interop_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/otel"
	"github.com/planlock/planlock/exec/otel/otlp"
)

// TestCollector has the receiver of OpenTelemetry's collector take a run that tries
// its step twice, and looks at what it hands on.
func TestCollector(t *testing.T) {
	spans, metrics, endpoint := collects(t)
	to, err := otlp.New(otlp.Config{Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	plan := must(os.ReadFile(filepath.Join("..", "..", "exec", "otel", "otlp", "testdata", "plan.toml")))
	b := exectest.New(t, string(plan), nil, exectest.Script{
		"1.1": exectest.Attempts(exectest.Fail("no"), exectest.Write("a", "a\n"))})
	b.Controller.Observe = to.Observe
	b.Run(t).Want(t, history.Achieved)
	if err := to.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	named, traces, known := map[string]int{}, map[pcommon.TraceID]bool{}, map[pcommon.SpanID]bool{{}: true}
	var parents []pcommon.SpanID
	for _, all := range spans.AllTraces() {
		for _, of := range all.ResourceSpans().All() {
			if service, _ := of.Resource().Attributes().Get("service.name"); service.Str() != "planlock" {
				t.Errorf("the service is %q", service.Str())
			}
			for _, scope := range of.ScopeSpans().All() {
				for _, s := range scope.Spans().All() {
					named[s.Name()]++
					traces[s.TraceID()], known[s.SpanID()] = true, true
					parents = append(parents, s.ParentSpanID())
					if age := time.Since(s.StartTimestamp().AsTime()); s.EndTimestamp() < s.StartTimestamp() || age > time.Hour {
						t.Errorf("%s is from %s to %s", s.Name(), s.StartTimestamp(), s.EndTimestamp())
					}
				}
			}
		}
	}
	for _, p := range parents {
		if !known[p] {
			t.Errorf("nobody knows the span %s, which another one is below", p)
		}
	}
	for name, want := range map[string]int{otel.SpanRun: 1, otel.SpanTask: 1, otel.SpanStep: 1, otel.SpanAttempt: 2} {
		if named[name] != want {
			t.Errorf("%d of %s, want %d", named[name], name, want)
		}
	}
	if len(traces) != 1 {
		t.Errorf("there are %d traces", len(traces))
	}
	told := map[string]bool{}
	for _, all := range metrics.AllMetrics() {
		for _, of := range all.ResourceMetrics().All() {
			for _, scope := range of.ScopeMetrics().All() {
				for _, m := range scope.Metrics().All() {
					told[m.Name()] = true
				}
			}
		}
	}
	for _, name := range []string{otel.MetricRuns, otel.MetricAttempts, otel.MetricAttemptDuration, otel.MetricGates} {
		if !told[name] {
			t.Errorf("no %s is among %v", name, told)
		}
	}
}

// collects starts a collector's receiver, and says where it is.
func collects(t *testing.T) (*consumertest.TracesSink, *consumertest.MetricsSink, string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	spans, metrics := &consumertest.TracesSink{}, &consumertest.MetricsSink{}
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig().(*otlpreceiver.Config)
	config.Protocols.HTTP.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = at
	settings := receivertest.NewNopSettings(factory.Type())
	traces, err := factory.CreateTraces(t.Context(), settings, config, spans)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := factory.CreateMetrics(t.Context(), settings, config, metrics); err != nil { // it is the same receiver
		t.Fatal(err)
	}
	if err := traces.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := traces.Shutdown(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return spans, metrics, "http://" + at
}
