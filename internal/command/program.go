package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/cuda"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/show"
)

// Program is a root command and how it ends.
type Program struct {
	Root     *cobra.Command
	Advice   string // what to do after a panic, the end of a sentence; empty for nothing
	OwnsHang bool   // the command listens to SIGHUP itself
}

// Start executes one command line and returns the exit code of the process. The first Ctrl-C cancels the context of
// the command, the second ends the process. So do SIGTERM and the end of a connection, SIGHUP, unless that is ignored,
// as by nohup, or the command listens to it. Temporary folders of processes that were killed are removed.
func (p Program) Start(args []string, stdout, stderr io.Writer) (code int) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !p.OwnsHang && !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop)
	defer p.recover(stderr, &code)
	ondisk.Sweep()
	return Execute(ctx, p.Root, args, stdout, stderr)
}

// Execute runs root with everything it needs from outside, and returns the exit code.
func Execute(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	out, text := show.NewWriter(stdout), show.NewWriter(stderr)
	takeOnce(root)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(text)
	addCompletion(root, args)
	err := root.ExecuteContext(ctx)
	err = cmp.Or(err, out.Close())
	explain(text, root.Name(), err)
	return ExitCode(err)
}

// addCompletion adds cobra's command completion, and refuses shells that it does not know.
func addCompletion(root *cobra.Command, args []string) {
	root.InitDefaultCompletionCmd(args...)
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = NoSuchCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error {
				return Usage(cmd, "want a shell: bash, zsh, fish or powershell")
			}
		}
	}
}

// recover, deferred, turns a panic, which is a bug in the program, into a sentence and a file with the details. A GPU
// that is lost or out of memory is not a bug: its error says what to do. Checkpoints of a run stay intact.
func (p Program) recover(stderr io.Writer, code *int) {
	cause := recover()
	if cause == nil {
		return
	}
	*code = Failed
	w, name, inner := show.NewWriter(stderr), p.Root.Name(), cause
	if p, ok := cause.(*host.Panic); ok {
		inner = p.Cause
	}
	if lost, ok := inner.(*cuda.Error); ok {
		fmt.Fprintf(w, "%s: %s\n", name, show.Safe(lost.Error()))
		return
	}
	advice := p.crashReport(cause)
	if p.Advice != "" {
		advice += ", and " + p.Advice
	}
	fmt.Fprintf(w, "%s: an internal error, not your mistake: %s; %s\n", name, show.Safe(fmt.Sprint(cause)), advice)
}

// crashReport writes down what happened, and says where.
func (p Program) crashReport(cause any) string {
	stack := debug.Stack()
	if p, ok := cause.(*host.Panic); ok {
		stack = p.Stack
	}
	f, err := os.CreateTemp("", p.Root.Name()+"-crash-*.txt")
	if err != nil {
		return "no report could be written"
	}
	fmt.Fprintf(f, "%s %s: %q\n\n%v\n\n%s", p.Root.Name(), p.Root.Version, os.Args[1:], cause, stack)
	if f.Close() != nil {
		return "no report could be written"
	}
	return "what happened is in " + f.Name()
}
