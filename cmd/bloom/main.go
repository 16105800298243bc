// Command bloom is graph machine learning by bilevel optimization from the command line. Results go to standard
// output, text for people to standard error; internal/command lists the exit codes.
package main

import (
	"io"
	"os"

	"github.com/bloomgml/bloom/internal/command"
)

// What is printed about keys and parts, and docs/config.md, follow from the tables of parts and the keys of configs.
//go:generate go test . -run Snapshots|TestConfigDocument -update

func main() { os.Exit(start(os.Args[1:], os.Stdout, os.Stderr)) }

// start executes one command line and returns the exit code of the process. A hangup makes a server load its runs
// again.
func start(args []string, stdout, stderr io.Writer) int {
	return command.Program{
		Root:     newRoot(commands()...),
		Advice:   "a run that has a checkpoint can be resumed with bloom train --resume",
		OwnsHang: len(args) > 0 && args[0] == "serve",
	}.Start(args, stdout, stderr)
}

// The errors of every command, by short names.
var usage, badData, runError = command.Usage, command.Data, command.Training
