// Command bloom-beam runs the descents of bloom on graphs that one machine does not hold, as pipelines of Apache Beam.
//
//	bloom-beam partition big.bloom --parts 64 --out parts
//	bloom-beam propagate parts --recipe base --out job --runner flink --endpoint SERVER:8099
//
// Folders must be the same to all workers: on one machine, or mounted on each of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/train"
)

func main() {
	if slices.ContainsFunc(os.Args, isWorker) {
		exit(work())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := newRoot().ExecuteContext(ctx)
	stop()
	if err != nil {
		exit(err)
	}
}

// exit ends the process because of an error.
func exit(err error) {
	fmt.Fprintln(os.Stderr, "bloom-beam:", err)
	os.Exit(status(err))
}

// status returns the exit code of the process: 3 for bad data, 2 for bad settings, 130 if it was stopped, else 1.
func status(err error) int {
	var file *files.Error
	var data *train.BadData
	var setting *train.BadSetting
	switch {
	case errors.Is(err, context.Canceled):
		return 130
	case errors.As(err, &file) || errors.As(err, &data):
		return 3
	case errors.As(err, &setting) || errors.As(err, new(usageError)):
		return 2
	}
	return 1
}

// usageError is a command that was typed wrongly.
type usageError struct{ error }

// newRoot has all commands. All of them take the flags of Beam.
func newRoot() *cobra.Command {
	root := &cobra.Command{Use: "bloom-beam", Short: "Descents on graphs past one machine, on Apache Beam",
		SilenceErrors: true, SilenceUsage: true, PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := flag.CommandLine.Parse(nil); err != nil { // what was said is set already
				return err
			}
			beam.Init()
			return workAsThis()
		}}
	root.PersistentFlags().AddGoFlagSet(flag.CommandLine)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(newPartition(), newPropagate(), newPredict(), newEmbed(), newSample(), newAudit())
	return root
}

// workAsThis makes this program the worker, unless the user names another.
func workAsThis() error {
	if *jobopts.WorkerBinary != "" {
		return nil
	}
	path, err := os.Executable()
	if err != nil {
		return err
	}
	return flag.Set("worker_binary", path)
}

// arguments wants n of them.
func arguments(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := cobra.ExactArgs(n)(cmd, args); err != nil {
			return usageError{fmt.Errorf("%w: %s", err, cmd.UseLine())}
		}
		return nil
	}
}

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
