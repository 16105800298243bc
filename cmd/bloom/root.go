package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/internal/workload"
)

// commands returns all subcommands, in the order of help.
func commands() []*cobra.Command {
	return []*cobra.Command{
		newTrain(), newEstimate(), newTune(), newPredict(), newExplain(), newCertify(), newAudit(), newEmbed(),
		newAdd(), newForget(), newWhatIf(),
		newReport(), newServe(), newData(), newRecipe(), newConfig(), newEnergy(), newPaper(),
		newBench(), newMan(), newVersion(), newDoctor(workload.DoctorOptions{}),
	}
}

// newRoot returns the command `bloom` with the given subcommands.
func newRoot(commands ...*cobra.Command) *cobra.Command {
	root := command.NewRoot("bloom", "Graph machine learning by bilevel optimization")
	root.Example, root.Version = firstWords, version()
	root.AddCommand(commands...)
	root.SetHelpCommand(newHelp())
	arrange(root)
	complete(root)
	return root
}

// firstWords are the commands to begin with.
const firstWords = `  bloom train                     # on a built-in graph, in seconds
  bloom data import --nodes people.csv --edges follows.csv --label dept --out team.bloom
  bloom train --data team.bloom   # on your own; it prints the command to run next`

// sections are the headings of help, each with the names of its commands.
var sections = [][2]string{
	{"Train:", "train estimate tune"},
	{"Ask a run:", "predict explain certify audit embed add forget what-if report serve"},
	{"Data and settings:", "data recipe config energy"},
	{"Measure:", "bench doctor"},
	{"This program:", "man version help"},
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
	root.SetCompletionCommandGroupID(sections[len(sections)-1][0])
}

// newPaper refuses `bloom paper`, which has become a program of its own.
func newPaper() *cobra.Command {
	return &cobra.Command{
		Use:                "paper",
		Short:              "The tables of the paper: a program of its own, bloom-paper",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			again := show.ShellCommand(append([]string{"go", "run", "./cmd/bloom-paper"}, args...)...)
			return usage(cmd.Root(), "the paper's tables are a program of their own, bloom-paper; in a checkout: %s",
				again)
		},
	}
}

// newHelp returns the command `bloom help COMMAND`, which unlike cobra's own fails for a command that is not there.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Show what a command does",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return command.NoSuchCommand(cmd.Root(), rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// release and commit are what release/build.sh sets; empty in other builds.
var release, commit string

// built describes this binary. The keys are stable.
type built struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // with + if files had been changed since
	Go      string `json:"go"`
	Target  string `json:"target"`  // system and processor
	Kernels string `json:"kernels"` // the set that this processor gets
}

func newBuilt() built {
	b := built{release, commit, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, workload.Kernels()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	b.Version = cmp.Or(b.Version, info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		switch {
		case commit != "":
		case s.Key == "vcs.revision":
			b.Commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			b.Commit += "+"
		}
	}
	return b
}

// version returns the version of this binary and of what it was built with and for.
func version() string {
	b := newBuilt()
	return fmt.Sprintf("%s, %s %s", b.Version, b.Go, b.Target)
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program",
		Long: `Show the version of this program, the commit and the Go that it was built with, the system and processor it was
built for, and which kernels this processor gets.`,
		Example: `  bloom version
  bloom version --json`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := newBuilt()
			return printLine(cmd, asJSON, b, fmt.Sprintf("bloom %s\ncommit %s\n%s %s, kernels %s", b.Version,
				cmp.Or(b.Commit, unknown), b.Go, b.Target, b.Kernels))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// notice returns a function that shows a person a sentence while a command runs.
func notice(cmd *cobra.Command) func(string) {
	return func(text string) { fmt.Fprintf(cmd.ErrOrStderr(), "bloom: %s\n", text) }
}
