package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/bloomgml/bloom/internal/command"
)

func newMan() *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages, one for every command",
		Long: `Write manual pages, one for every command, into a folder, which is created if it does not exist. They contain
the texts of --help. Put them where man looks for section 1, such as ~/.local/share/man/man1.`,
		Example: `  bloom man man1`,
		Args:    command.Args(1, 1, "one folder, got %d arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			n, err := writeManual(cmd.Root(), args[0], &out)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d pages in %s; the first is man %s\n", n, args[0],
				filepath.Join(args[0], "bloom.1"))
			return nil
		},
	}
	out.forced(cmd)
	return cmd
}

// exitStatus ends every page.
const exitStatus = ".SH EXIT STATUS\n" +
	"0 when done, 1 when it failed, 2 for a wrong command line, 3 for bad data, 130 when stopped.\n"

// writeManual writes the pages of cmd and of the commands below it, and returns how many there are.
func writeManual(cmd *cobra.Command, dir string, out *output) (pages int, err error) {
	cmd.DisableAutoGenTag, cmd.Long = true, markdown(cmd.Long)
	out.path = filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")
	if err := out.write(cmd, out.rules(isManual), func(w io.Writer) error {
		if err := doc.GenMan(cmd, &doc.GenManHeader{Source: "bloom", Manual: "bloom"}, w); err != nil {
			return err
		}
		_, err := io.WriteString(w, exitStatus)
		return err
	}); err != nil {
		return 0, err
	}
	pages = 1
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			n, err := writeManual(sub, dir, out)
			if err != nil {
				return 0, err
			}
			pages += n
		}
	}
	return pages, nil
}

// markdown returns text for people as Markdown: indented text stays as it is, and nothing else is special.
func markdown(text string) string {
	var b strings.Builder
	special := strings.NewReplacer(`*`, `\*`, `_`, `\_`, "`", "\\`", `<`, `\<`, `[`, `\[`, `#`, `\#`)
	indented := false
	for line := range strings.Lines(text) {
		switch is := strings.HasPrefix(line, "  "); {
		case is && !indented:
			b.WriteString("\n    " + line)
		case is:
			b.WriteString("    " + line)
		default:
			b.WriteString(special.Replace(line))
		}
		indented = strings.HasPrefix(line, "  ")
	}
	return b.String()
}
