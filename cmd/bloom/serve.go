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
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/mat"
)

// newServe returns the command `bloom serve RUN…`.
func newServe() *cobra.Command {
	var o serve.Options
	var quiet bool
	var bodies string
	cmd := &cobra.Command{
		Use:   "serve RUN...",
		Short: "Answer for runs over HTTP, while their graphs change",
		Long: `Answer for runs over HTTP, while their graphs change.

The page at / shows nodes, why they are what they are, what would be if, a worklist of what is
probably wrong, and how the run is doing.

A run is served under the name of its folder: /v2/models/NAME is the Open Inference Protocol, /v1 has edits of
the graph, answers about single nodes and answers to "what if". Edits are in the run's folder before they are
acknowledged, and are there again after a restart. Only what an edit reaches is computed again. Runs on knowledge graphs,
about links, about labels alone and on nodes or edges of several types are served as they were trained. SIGHUP, or a POST to
/v1/reload, loads runs that were trained again, without losing a request or an edit.

Answers are H after the steps of the run, as in bloom predict, with products rounded as in training (train.precision)
where that is the same for all runs; else in float32, which is said. With --settle they are the minimiser of its
energy, and come with a bound on their distance to it.

Only this machine is listened to by default. Any other address needs --token-file, with a line for every token:
read or write, a space, the token; requests then have the header "Authorization: Bearer TOKEN".`,
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
	f.BoolVar(&o.Insecure, "insecure", false, "let everybody who reaches the address do everything")
	f.StringVar(&o.Cert, "cert", "", "the certificate `file` for TLS")
	f.StringVar(&o.Key, "key", "", "its key `file`")
	f.BoolVar(&o.Settle, "settle", false, "answer by the minimiser of the energy, with a bound")
	f.Float64Var(&o.Tolerance, "tolerance", 1e-4, "how far states may be from the minimiser")
	f.Float64Var(&o.Coverage, "coverage", 0.9, "how probably the sets and intervals of answers hold what is true")
	f.Float64Var(&o.Rate, "rate", 0, "requests a second that one address may make; 0 for any number")
	f.IntVar(&o.Conns, "connections", 1024, "connections at the same time; others are closed")
	f.StringVar(&bodies, "body-memory", "32MiB",
		"how much of requests above 64 KiB is in memory at the same time; others wait")
	f.DurationVar(&o.Timeout, "timeout", 30*time.Second, "how long it may take to read a request, and to answer it")
	f.BoolVar(&quiet, "quiet", false, "no log line for every request")
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
		fmt.Fprintln(cmd.ErrOrStderr(), "Ctrl-C stops, after what has begun is answered.")
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
				terminal.Show(strings.Join(runs, ", ")), p))
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
