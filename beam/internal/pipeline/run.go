// Package pipeline has the jobs of bloom-beam as pipelines of Apache Beam. What flows are messages between parts of a
// graph, one for every pair that has edges, and never anything keyed by a node; what a part does with them is in
// package job. Every function may be run again on the same messages: it writes the same files.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized" // without reflection
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink" // the runners of --runner
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// run runs a pipeline by the runner of --runner, prism by default. A pipeline that ctx stops is cancelled at the job
// server too, which Beam does not do. An embedded Flink keeps running it anyway, and writes the same files as the
// pipeline that follows.
func run(ctx context.Context, p *beam.Pipeline) error {
	name := *runners.Runner
	if name == "" {
		name = "prism"
	}
	job, said := *jobopts.JobName, *jobopts.JobName
	if said == "" { // letters and digits, which servers leave as they are
		job = fmt.Sprintf("bloom%dx%d", os.Getpid(), time.Now().UnixNano())
		*jobopts.JobName = job
	}
	_, err := beam.Run(ctx, name, p)
	*jobopts.JobName = said
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && *jobopts.Endpoint != "" {
		err = errors.Join(err, cancel(*jobopts.Endpoint, job))
	}
	return fmt.Errorf("runner %s: %w", name, because(ctx, err))
}

// because returns why ctx has ended, with err, which follows from it and for most runners is a gRPC status; it returns
// err itself if ctx has not ended.
func because(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil && !errors.Is(err, why) {
		return fmt.Errorf("%w (%v)", why, err)
	}
	return err
}

// cancel stops the jobs of a name at a job server, whose own names begin with it.
func cancel(endpoint, name string) error {
	const wait = 20 * time.Second
	ctx, stop := context.WithTimeout(context.Background(), wait)
	defer stop()
	cc, err := grpcx.Dial(ctx, endpoint, wait)
	if err != nil {
		return fmt.Errorf("cancel %s: %w", name, err)
	}
	server := jobpb.NewJobServiceClient(cc)
	jobs, err := server.GetJobs(ctx, &jobpb.GetJobsRequest{})
	for _, j := range jobs.GetJobInfo() {
		if strings.HasPrefix(j.GetJobName(), name) {
			_, e := server.Cancel(ctx, &jobpb.CancelJobRequest{JobId: j.GetJobId()})
			err = errors.Join(err, e)
		}
	}
	return errors.Join(err, cc.Close())
}

// numbers returns the numbers of n parts, dealt out among workers.
func numbers(s beam.Scope, n int) beam.PCollection {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return beam.Reshuffle(s, beam.CreateList(s, list))
}
