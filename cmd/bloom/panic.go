package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/bloomgml/bloom/internal/terminal"
)

// lastResort, deferred, turns a panic, which is a mistake of the program, into a sentence and a file with the details.
// What a run has saved stays: checkpoints are whole files.
func lastResort(stderr io.Writer, code *int) {
	cause := recover()
	if cause == nil {
		return
	}
	*code = exitFailed
	where := "it could not be written to a file"
	if f, err := os.CreateTemp("", "bloom-crash-*.txt"); err == nil {
		fmt.Fprintf(f, "bloom %s: %q\n\n%v\n\n%s", version(), os.Args[1:], cause, debug.Stack())
		if f.Close() == nil {
			where = "what happened is in " + f.Name()
		}
	}
	fmt.Fprintf(terminal.NewWriter(stderr), "bloom: a mistake of the program, not yours: %s; %s. A run can be "+
		"continued with --resume.\n", terminal.Show(fmt.Sprint(cause)), where)
}
