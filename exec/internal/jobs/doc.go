// Package jobs reads what a job says about itself on its standard output: which
// runs of an experiment it made, which files, and what it measured.
//
// A job is any program. It says what it has to say in lines of text, between
// whatever else it prints:
//
//	MLFLOW_RUN_ID=9f2c1e0b7a5d4c3f8e6a1b2c3d4e5f60
//	ARTIFACT results/baseline.json
//	METRIC accuracy=0.93
//	TELEMETRY metric.loss=0.07
//
// A [Collector] takes the output of the programs of one attempt as it comes,
// one [Collector.Stream] for each, so that nothing is missed where a log is cut
// short:
//
//	var said jobs.Collector
//	out := said.Stream()
//	io.Copy(out, stdout)
//	out.Close()
//	fmt.Println(said.Telemetry().Runs)
//
// The exact grammar and its bounds are in docs/pipeline.md and in [Parse].
//
// Not promised: that any of it is true. Whoever acts never judges its own work;
// what a job claims is looked for where it must be, by the package
// gate/evidence.
package jobs
