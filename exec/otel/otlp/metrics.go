package otlp

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// metricExporter hands metrics to an exporter. It never fails, so that the SDK
// says nothing.
type metricExporter struct{ to *Exporter }

type (
	metricMessage struct {
		Resources []resourceMetrics `json:"resourceMetrics"`
	}
	resourceMetrics struct {
		About  about          `json:"resource"`
		Scopes []scopeMetrics `json:"scopeMetrics"`
	}
	scopeMetrics struct {
		Scope   scope    `json:"scope"`
		Metrics []figure `json:"metrics"`
	}
	figure struct {
		Name        string     `json:"name"`
		Description string     `json:"description,omitempty"`
		Unit        string     `json:"unit,omitempty"`
		Sum         *sum       `json:"sum,omitempty"`
		Histogram   *histogram `json:"histogram,omitempty"`
	}
	sum struct {
		Points      []point `json:"dataPoints"`
		Temporality int     `json:"aggregationTemporality"`
		Monotonic   bool    `json:"isMonotonic"`
	}
	histogram struct {
		Points      []point `json:"dataPoints"`
		Temporality int     `json:"aggregationTemporality"`
	}
	point struct {
		Attributes []pair    `json:"attributes,omitempty"`
		From       string    `json:"startTimeUnixNano"`
		At         string    `json:"timeUnixNano"`
		Whole      string    `json:"asInt,omitempty"`
		Float      *float64  `json:"asDouble,omitempty"`
		Count      string    `json:"count,omitempty"`
		Sum        *float64  `json:"sum,omitempty"`
		Counts     []string  `json:"bucketCounts,omitempty"`
		Bounds     []float64 `json:"explicitBounds,omitempty"`
	}
)

// cumulative is the number of that temporality: what is told counts since the
// start of the program.
const cumulative = 2

func (metricExporter) Temporality(metric.InstrumentKind) metricdata.Temporality {
	return metricdata.CumulativeTemporality
}

func (metricExporter) Aggregation(kind metric.InstrumentKind) metric.Aggregation {
	return metric.DefaultAggregationSelector(kind)
}

// Export brings the collector what was counted and measured.
func (m metricExporter) Export(ctx context.Context, all *metricdata.ResourceMetrics) error {
	of := resourceMetrics{About: aboutOf(all.Resource)}
	for _, s := range all.ScopeMetrics {
		scoped := scopeMetrics{Scope: scopeOf(s.Scope)}
		for _, one := range s.Metrics {
			scoped.Metrics = append(scoped.Metrics, figureOf(one))
		}
		of.Scopes = append(of.Scopes, scoped)
	}
	if len(of.Scopes) > 0 {
		m.to.post(ctx, "v1/metrics", metricMessage{[]resourceMetrics{of}})
	}
	return nil
}

// ForceFlush does nothing: the exporter holds nothing back.
func (metricExporter) ForceFlush(context.Context) error { return nil }

// Shutdown does nothing, too.
func (metricExporter) Shutdown(context.Context) error { return nil }

// figureOf is a metric in the words of OTLP.
func figureOf(m metricdata.Metrics) figure {
	made := figure{Name: m.Name, Description: m.Description, Unit: m.Unit}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		made.Sum = &sum{Temporality: cumulative, Monotonic: data.IsMonotonic}
		for _, p := range data.DataPoints {
			made.Sum.Points = append(made.Sum.Points, point{Attributes: pairs(p.Attributes.ToSlice()),
				From: nanoseconds(p.StartTime), At: nanoseconds(p.Time), Whole: strconv.FormatInt(p.Value, 10)})
		}
	case metricdata.Sum[float64]:
		made.Sum = &sum{Temporality: cumulative, Monotonic: data.IsMonotonic}
		for _, p := range data.DataPoints {
			made.Sum.Points = append(made.Sum.Points, point{Attributes: pairs(p.Attributes.ToSlice()),
				From: nanoseconds(p.StartTime), At: nanoseconds(p.Time), Float: &p.Value})
		}
	case metricdata.Histogram[float64]:
		made.Histogram = &histogram{Temporality: cumulative}
		for _, p := range data.DataPoints {
			counted := point{Attributes: pairs(p.Attributes.ToSlice()), From: nanoseconds(p.StartTime),
				At: nanoseconds(p.Time), Count: strconv.FormatUint(p.Count, 10), Sum: &p.Sum, Bounds: p.Bounds}
			for _, n := range p.BucketCounts {
				counted.Counts = append(counted.Counts, strconv.FormatUint(n, 10))
			}
			made.Histogram.Points = append(made.Histogram.Points, counted)
		}
	}
	return made
}
