// Package command is what the programs of this repository share: exit codes and what is said about an error, how
// Ctrl-C, a panic and a mistyped flag end a command, and the flags that choose threads, memory and device.
//
//	root := command.NewRoot("bloom-paper", "Repeat the tables of the paper")
//	root.AddCommand(newList(), newRun())
//	os.Exit(command.Program{Root: root}.Start(os.Args[1:], os.Stdout, os.Stderr))
package command
