package command

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bloomgml/bloom/cuda"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/jobs"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/mat"
)

// NewRoot returns the root command of a program, with the flags --threads, --memory and --device, which hold for the
// whole process. Without a subcommand it shows its help.
func NewRoot(name, short string) *cobra.Command {
	var threads int
	var memory, device string
	root := &cobra.Command{
		Use:           name,
		Short:         short,
		Args:          NoSuchCommand,
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
	root.SetFlagErrorFunc(badFlag)
	root.PersistentFlags().IntVar(&threads, "threads", 0, "threads to compute with, 0 for all cores (or BLOOM_THREADS)")
	root.PersistentFlags().StringVar(&memory, "memory", "",
		"memory that reading files may take, such as 4GiB (or BLOOM_MEMORY; default by their size)")
	root.PersistentFlags().StringVar(&device, "device", "",
		"where to compute: auto, cpu, cuda or cuda:1 (or BLOOM_DEVICE; default cpu)")
	return root
}

// NoSuchCommand turns down the name of a command that does not exist.
func NoSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return Usage(cmd, "unknown command %q%s", args[0], keys.Suggest(args[0], names, ""))
}

// NoArgs turns down arguments of a command that takes none.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Usage(cmd, "%s takes no argument, got %q", cmd.CommandPath(), args[0])
}

// Args wants from least to most arguments. What they are, with a verb for their number, ends the error.
func Args(least, most int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return Usage(cmd, "want "+want, len(args))
		}
		return nil
	}
}

// EnoughThreads refuses more jobs at the same time than there are threads.
func EnoughThreads(cmd *cobra.Command, n int) error {
	if most := jobs.Most(); n > most {
		return Usage(cmd, "%d jobs on %d threads: want a thread or more for each", n, most)
	}
	return nil
}

// badFlag explains a flag that does not exist or has a wrong value.
func badFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		if first := (givenBefore{}); errors.As(err, &first) {
			return Usage(cmd, "--%s is given twice, as %q and %q, and takes one value", f.Name, first.value,
				invalid.GetValue())
		}
		return Usage(cmd, "--%s is %q, want %s", f.Name, invalid.GetValue(), typeOf(f))
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return Usage(cmd, "%w", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := missing.GetSpecifiedName()
	return Usage(cmd, "unknown flag --%s%s", name, keys.Suggest(name, names, "--"))
}

// typeOf returns the type of a flag's value, in words.
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

// applyThreads passes --threads, or else BLOOM_THREADS, to the engine.
func applyThreads(cmd *cobra.Command, n int) error {
	text, set := os.LookupEnv("BLOOM_THREADS")
	if set && !cmd.Flags().Changed("threads") {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			return Usage(cmd, "BLOOM_THREADS is %q, want a number", text)
		}
	}
	if n < 0 {
		return Usage(cmd, "%d threads, want 0 or more", n)
	}
	mat.SetThreads(n)
	return nil
}

// applyMemory passes --memory, or else BLOOM_MEMORY, to the file readers and the garbage collector.
func applyMemory(cmd *cobra.Command, text string) error {
	name := "--memory"
	if !cmd.Flags().Changed("memory") {
		name, text = files.MemoryVariable, os.Getenv(files.MemoryVariable)
	}
	files.Collect()
	if text == "" {
		return nil
	}
	n, err := files.ParseBytes(text)
	if err != nil {
		return Usage(cmd, "%s: %w", name, err)
	}
	files.SetMemory(n)
	return nil
}

// applyDevice makes --device, or else BLOOM_DEVICE, the device that computes everything. The default is the CPU.
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
	case text != "auto" && text != "cuda" && (kind != "cuda" || !numbered || err != nil || n < 0):
		return Usage(cmd, "%s is %q, want auto, cpu, cuda or cuda:1", name, text)
	}
	dev, err := cuda.Open(n)
	switch auto := text == "auto"; {
	case err != nil && auto: // there is none
		mat.Use(mat.CPU)
		return nil
	case err != nil:
		return err
	case auto:
		Rivals = []mat.Device{mat.CPU, dev}
	}
	mat.Use(dev)
	return nil
}

// Rivals are the devices of --device auto that bloom train compares; nil if there is no choice.
var Rivals []mat.Device

// takeOnce makes flags of cmd and its subcommands refuse a second value if they take one: the first would be lost
// silently. Of flags for the whole process, such as --memory, which people put into aliases, the last one counts.
func takeOnce(cmd *cobra.Command) {
	guard := func(f *pflag.Flag) {
		if _, list := f.Value.(pflag.SliceValue); !list && f.Value.Type() != "bool" {
			f.Value = &once{Value: f.Value}
		}
	}
	cmd.LocalNonPersistentFlags().VisitAll(guard)
	for _, c := range cmd.Commands() {
		takeOnce(c)
	}
}

// once is the value of a flag that is given at most once.
type once struct {
	pflag.Value
	given bool
}

// Set takes the first value.
func (o *once) Set(text string) error {
	if o.given {
		return givenBefore{o.String()}
	}
	o.given = true
	return o.Value.Set(text)
}

// givenBefore is the error for a second value.
type givenBefore struct{ value string }

func (e givenBefore) Error() string { return "it was given before, as " + e.value }
