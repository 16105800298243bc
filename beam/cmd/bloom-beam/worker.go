package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// isWorker reports whether a runner started the process with that argument: as --environment_type PROCESS does, and
// with --worker what starts a container.
func isWorker(arg string) bool {
	arg, _, _ = strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return arg == "worker" || arg == "provision_endpoint"
}

// work does what a runner asks for until there is no more to do, and ends the process. The error says why it cannot
// begin.
func work() error {
	from := flag.String("provision_endpoint", "", "the address at which the runner announces the other endpoints")
	flag.Parse()
	if *from != "" {
		if err := provide(*from); err != nil {
			return err
		}
	}
	beam.Init()
	return errors.New("no worker started") // Init does not return to one
}

// provide sets the flags of a worker by what the runner says at an endpoint.
func provide(endpoint string) error {
	ctx := grpcx.WriteWorkerID(context.Background(), flag.Lookup("id").Value.String())
	info, err := tools.ProvisionInfo(ctx, endpoint)
	if err != nil {
		return err
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	return errors.Join(flag.Set("worker", "true"), flag.Set("options", options),
		flag.Set("logging_endpoint", info.GetLoggingEndpoint().GetUrl()),
		flag.Set("control_endpoint", info.GetControlEndpoint().GetUrl()),
		os.Setenv("RUNNER_CAPABILITIES", strings.Join(info.GetRunnerCapabilities(), " ")))
}
