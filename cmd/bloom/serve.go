package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/serve"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
)

func newServe() *cobra.Command {
	var o serve.Options
	var quiet bool
	var bodies string
	cmd := &cobra.Command{
		Use:   "serve RUN...",
		Short: "Serve predictions of runs over HTTP, on graphs that can be edited",
		Long: `Serve predictions of runs over HTTP, on graphs that can be edited.

The page at / shows nodes with their predictions and explanations, what-if questions, a worklist of probable errors in
the data, and the health of the server.

A run is served under the name of its folder: /v2/models/NAME is the Open Inference Protocol; /v1 has edits of the
graph, predictions of single nodes and what-if questions. Edits are on disk before they are acknowledged, and survive a
restart. Only what an edit affects is computed again. Runs on knowledge graphs, on links, with label propagation or with
several node or edge types are served as they were trained. SIGHUP, or a POST to /v1/reload, loads runs that were
trained again, without losing a request or an edit.

Predictions equal those of bloom predict. Products are rounded as in training (train.precision) if all runs have the same
precision, otherwise computed in float32, with a note. With --settle predictions are those at the minimum of the
energy, with a bound on the distance of embeddings to it; runs for which there is no bound are not served then.

By default the server listens on this machine only. Any other address needs --token-file, with one token per line:
read or write, a space, the token; requests then need the header "Authorization: Bearer TOKEN".`,
		Example: `  bloom train --data csbm:nodes=500,features=3 --recipe base --out csbm --set train.epochs=50
  bloom serve csbm --addr 127.0.0.1:8080`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, "which runs? name their folders")
			}
			var err error
			if o.Bodies, err = files.ParseBytes(bodies); err != nil {
				return usage(cmd, "--body-memory: %w", err)
			}
			if err := o.Check(); err != nil {
				return usage(cmd, "%v", err)
			}
			return serveRuns(cmd, o, quiet, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Addr, "addr", "127.0.0.1:8080", "the `address` to listen on")
	f.StringVar(&o.TokenFile, "token-file", "", "the `file` of tokens")
	f.BoolVar(&o.Insecure, "insecure", false, "no tokens: everybody who can reach the address may do everything")
	f.StringVar(&o.Cert, "cert", "", "the certificate `file` for TLS")
	f.StringVar(&o.Key, "key", "", "its key `file`")
	f.BoolVar(&o.Settle, "settle", false, "predict at the minimum of the energy, with a bound on the distance to it")
	f.Float64Var(&o.Tolerance, "tolerance", 0, "with --settle: how far an embedding may be from the minimum, where "+
		"edges are normalised times the root of the node's degree (default 0.0001)")
	f.Float64Var(&o.Coverage, "coverage", 0.9, "probability that prediction sets and intervals contain the truth")
	f.Float64Var(&o.Rate, "rate", 0, "maximum requests per second and client address; 0 = no limit")
	f.IntVar(&o.Conns, "connections", 1024, "maximum number of connections; others are closed")
	f.StringVar(&bodies, "body-memory", "32MiB", "memory for request bodies above 64 KiB; requests beyond it wait")
	f.DurationVar(&o.Timeout, "timeout", 30*time.Second, "time limit for reading a request, and again for answering it")
	f.BoolVar(&quiet, "quiet", false, "do not log every request")
	return cmd
}

// serveRuns serves until the program is told to stop.
func serveRuns(cmd *cobra.Command, o serve.Options, quiet bool, dirs []string) error {
	level := slog.LevelInfo
	if quiet {
		level = slog.LevelWarn
	}
	log := slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
	o.Configs = roundAs(notice(cmd), dirs)
	s, err := serve.New(cmd.Context(), o, log, dirs...)
	if err != nil {
		return err
	}
	scheme := "http"
	if o.Cert != "" {
		scheme = "https"
	}
	defer reloading(cmd.Context(), s, log)()
	err = s.Run(cmd.Context(), func(a net.Addr) {
		for _, name := range s.Names() {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s is at %s://%s/v2/models/%s\n", name, scheme, a, name)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "The page is at %s://%s/\n", scheme, a)
		fmt.Fprintln(cmd.ErrOrStderr(), "Ctrl-C stops it after pending requests are answered.")
	})
	if context.Cause(cmd.Context()) != nil && err == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "stopped")
	}
	return err
}

// roundAs rounds products as they were when the runs were trained, if that was the same for all of them. Otherwise
// nothing is rounded, and it says whose answers differ slightly from bloom predict. It returns the configs that it has
// read.
func roundAs(say func(string), dirs []string) map[string]*config.Config {
	configs := map[string]*config.Config{}
	by := map[mat.Precision][]string{}
	for _, dir := range dirs {
		c, err := config.Load(config.Options{File: filepath.Join(dir, "config.yaml")})
		if err != nil {
			continue // what is wrong is said where the run is opened
		}
		configs[dir] = c
		p := cmp.Or(mat.Precision(c.Train.Precision), mat.Float32)
		by[p] = append(by[p], dir)
	}
	if len(by) == 1 {
		for p := range by {
			if mat.Round(p) == nil {
				return configs
			}
		}
	}
	for p, runs := range by {
		if p != mat.Float32 {
			say(fmt.Sprintf("%s: trained with train.precision %s, and answered in float32",
				show.Safe(strings.Join(runs, ", ")), p))
		}
	}
	return configs
}

// reloading reloads runs that were trained again, whenever the process receives SIGHUP.
func reloading(ctx context.Context, s *serve.Server, log *slog.Logger) (stop func()) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	go func() {
		for range hup {
			if _, err := s.Reload(ctx); err != nil {
				log.Error("reload", "error", err)
			}
		}
	}()
	return func() { signal.Stop(hup); close(hup) }
}
