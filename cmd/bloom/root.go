package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/bloomgml/bloom/cuda"
	"github.com/bloomgml/bloom/internal/doctor"
	"github.com/bloomgml/bloom/internal/nearest"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/mat"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bloomgml/bloom/internal/budget"
)

// start executes one command line and returns the exit code of the process. The first Ctrl-C cancels
// the context of the command, the second ends the process. So do SIGTERM and the end of a connection, SIGHUP, unless
// that is ignored, as by nohup, or makes a server load its runs again.
func start(args []string, stdout, stderr io.Writer) (code int) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if serves := len(args) > 0 && args[0] == "serve"; !serves && !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop)
	defer lastResort(stderr, &code)
	return execute(ctx, newRoot(commands()...), args, stdout, stderr)
}

// commands are all subcommands, in the order of help.
func commands() []*cobra.Command {
	return []*cobra.Command{
		newTrain(), newEstimate(), newTune(), newPredict(), newExplain(), newAudit(), newEmbed(), newAdd(), newReport(),
		newServe(), newData(), newRecipe(), newConfig(), newEnergy(), newPaper(), newBench(), newCompletion(), newMan(),
		newVersion(), newDoctor(doctor.Options{}),
	}
}

// execute runs root with everything it needs from outside.
func execute(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	out, text := terminal.NewWriter(stdout), terminal.NewWriter(stderr)
	defer out.Close()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(text)
	err := root.ExecuteContext(ctx)
	explain(text, err)
	return exitCode(err)
}

// newRoot is the command `bloom` with the given subcommands.
func newRoot(commands ...*cobra.Command) *cobra.Command {
	var threads int
	var memory, device string
	root := &cobra.Command{
		Use:           "bloom",
		Short:         "Graph machine learning by bilevel optimization",
		Example:       firstWords,
		Version:       version(),
		Args:          noSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := applyMemory(cmd, memory); err != nil {
				return err
			}
			if err := applyThreads(cmd, threads); err != nil {
				return err
			}
			return applyDevice(cmd, device)
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true // there is newCompletion
	root.SetFlagErrorFunc(badFlag)
	root.PersistentFlags().IntVar(&threads, "threads", 0, "threads to compute with, 0 for all cores (or BLOOM_THREADS)")
	root.PersistentFlags().StringVar(&memory, "memory", "",
		"memory that reading files may take, such as 4GiB (or BLOOM_MEMORY; default by their size)")
	root.PersistentFlags().StringVar(&device, "device", "",
		"where to compute: auto, cpu, cuda or cuda:1 (or BLOOM_DEVICE; default cpu)")
	root.AddCommand(commands...)
	root.SetHelpCommand(newHelp())
	arrange(root)
	complete(root)
	return root
}

// firstWords are the commands to begin with.
const firstWords = `  bloom train                     # on a built-in graph, in seconds
  bloom data import --nodes people.csv --edges follows.csv --label dept --out team.bloom
  bloom train --data team.bloom   # on your own; it ends with the command to go on with`

// sections are the headings of help, each with the names of its commands.
var sections = [][2]string{
	{"Train:", "train estimate tune"},
	{"Ask a run:", "predict explain audit embed add report serve"},
	{"Data and settings:", "data recipe config energy"},
	{"Measure:", "paper bench doctor"},
	{"This program:", "completion man version help"},
}

// arrange puts the commands of root below headings, in the order of commands.
func arrange(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	for _, s := range sections {
		root.AddGroup(&cobra.Group{ID: s[0], Title: s[0]})
		for _, c := range root.Commands() {
			if slices.Contains(strings.Fields(s[1]), c.Name()) {
				c.GroupID = s[0]
			}
		}
	}
	root.SetHelpCommandGroupID(sections[len(sections)-1][0])
}

// newHelp is `bloom help COMMAND`, which unlike cobra's own fails for a command that is not there.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Show what a command does",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return noSuchCommand(cmd.Root(), rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// release is the version that release/build.sh builds; empty where somebody else does.
var release string

// built is what is known about this binary. The keys stay.
type built struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // with + where files had been changed since
	Go      string `json:"go"`
	Target  string `json:"target"`  // system and processor
	Kernels string `json:"kernels"` // the set that this processor gets
}

func newBuilt() built {
	b := built{release, "", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, doctor.Kernels()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	b.Version = cmp.Or(b.Version, info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			b.Commit += "+"
		}
	}
	return b
}

// version is the version of this binary and of what it was built with and for.
func version() string {
	b := newBuilt()
	return fmt.Sprintf("%s, %s %s", b.Version, b.Go, b.Target)
}

// newVersion is `bloom version`.
func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program",
		Long: `Show the version of this program, the commit and the Go that it was built with, the system and processor it was
built for, and which kernels this processor gets.`,
		Example: `  bloom version
  bloom version --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := newBuilt()
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(b)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "bloom %s\ncommit %s\n%s %s, kernels %s\n", b.Version,
				cmp.Or(b.Commit, "unknown"), b.Go, b.Target, b.Kernels)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// applyThreads passes --threads, or else BLOOM_THREADS, to the engine.
func applyThreads(cmd *cobra.Command, n int) error {
	text, set := os.LookupEnv("BLOOM_THREADS")
	if set && !cmd.Flags().Changed("threads") {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			return usage(cmd, "BLOOM_THREADS is %q, want a number", text)
		}
	}
	if n < 0 {
		return usage(cmd, "%d threads, want 0 or more", n)
	}
	mat.SetThreads(n)
	return nil
}

// applyMemory passes --memory, or else BLOOM_MEMORY, to what reads files, and has the collector keep to it.
func applyMemory(cmd *cobra.Command, text string) error {
	name := "--memory"
	if !cmd.Flags().Changed("memory") {
		name, text = budget.Variable, os.Getenv(budget.Variable)
	}
	budget.Collect()
	if text == "" {
		return nil
	}
	n, err := budget.Parse(text)
	if err != nil {
		return usage(cmd, "%s: %w", name, err)
	}
	budget.Set(n)
	return nil
}

// notice tells a person something, a sentence each, while a command goes on.
func notice(cmd *cobra.Command) func(string) {
	return func(text string) { fmt.Fprintf(cmd.ErrOrStderr(), "bloom: %s\n", text) }
}

// usage is an error in the command line of cmd.
func usage(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{cmd.CommandPath(), fmt.Errorf(format, args...)}
}

// noSuchCommand turns down the name of a command that does not exist.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return usage(cmd, "unknown command %q%s", args[0], nearest.Suggest(args[0], names, ""))
}

// noArgs turns down arguments of a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage(cmd, "%s takes no argument, got %q", cmd.CommandPath(), args[0])
}

// typeOf is what a flag takes, in words.
func typeOf(f *pflag.Flag) string {
	switch kind := f.Value.Type(); kind {
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number, 0 or more"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	default:
		return "a " + kind
	}
}

// badFlag explains a flag that does not exist or has a wrong value.
func badFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		return usage(cmd, "--%s is %q, want %s", f.Name, invalid.GetValue(), typeOf(f))
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return &usageError{cmd.CommandPath(), err}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := missing.GetSpecifiedName()
	return usage(cmd, "unknown flag --%s%s", name, nearest.Suggest(name, names, "--"))
}

// applyDevice makes --device, or else BLOOM_DEVICE, the place where everything is computed. Without either it stays the
// CPU.
func applyDevice(cmd *cobra.Command, text string) error {
	name := "--device"
	if !cmd.Flags().Changed("device") {
		name, text = "BLOOM_DEVICE", os.Getenv("BLOOM_DEVICE")
	}
	kind, number, numbered := strings.Cut(text, ":")
	n, err := strconv.Atoi(number)
	switch {
	case text == "":
		return nil
	case text == "cpu":
		mat.Use(mat.CPU)
		return nil
	case text == "auto", text == "cuda", kind == "cuda" && numbered && err == nil && n >= 0:
		return useCard(n, text == "auto")
	}
	return usage(cmd, "%s is %q, want auto, cpu, cuda or cuda:1", name, text)
}

// rivals are the devices of --device auto that bloom train compares; none where there is nothing to choose.
var rivals []mat.Device

// useCard computes on card n; with auto, on the CPU where there is none.
func useCard(n int, auto bool) error {
	dev, err := cuda.Open(n)
	switch {
	case err == nil && auto:
		rivals = []mat.Device{mat.CPU, dev}
		mat.Use(dev)
	case err == nil:
		mat.Use(dev)
	case auto:
		mat.Use(mat.CPU)
	default:
		return err
	}
	return nil
}
