// Package pipeline has the jobs of bloom-beam as pipelines of Apache Beam. What flows are messages between parts of a
// graph, one for every pair that has edges, and never anything keyed by a node; what a part does with them is in
// package job. Every function may be run again on the same messages: it writes the same files.
package pipeline

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized" // without reflection
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink" // the runners of --runner
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
)

// run runs a pipeline by the runner of --runner, prism where none is said.
func run(ctx context.Context, p *beam.Pipeline) error {
	name := *runners.Runner
	if name == "" {
		name = "prism"
	}
	if _, err := beam.Run(ctx, name, p); err != nil {
		return fmt.Errorf("runner %s: %w", name, err)
	}
	return nil
}

// numbers are the numbers of n parts, dealt out among workers.
func numbers(s beam.Scope, n int) beam.PCollection {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return beam.Reshuffle(s, beam.CreateList(s, list))
}
