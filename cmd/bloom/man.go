package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan is `bloom man DIR`.
func newMan() *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages, one for every command",
		Long: `Write manual pages, one for every command, into a folder that is made where it is missing. They say what
--help says. Put them where man looks for section 1, such as ~/.local/share/man/man1.`,
		Example: `  bloom man man1`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd, "want one folder, got %d arguments", len(args))
			}
			pages := manPages(cmd.Root())
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			for name, text := range pages {
				out.path = filepath.Join(args[0], name)
				if err := out.write(cmd, out.rules(isManual), func(w io.Writer) error {
					_, err := io.WriteString(w, text)
					return err
				}); err != nil {
					return err
				}
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%d pages in %s; the first is man %s\n", len(pages), args[0],
				filepath.Join(args[0], "bloom.1"))
			return err
		},
	}
	out.forced(cmd)
	return cmd
}

// manPages are the pages of cmd and of the commands below it, by their file names.
func manPages(cmd *cobra.Command) map[string]string {
	pages := map[string]string{}
	var add func(*cobra.Command)
	add = func(c *cobra.Command) {
		pages[manName(c)+".1"] = manPage(c)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				add(sub)
			}
		}
	}
	add(cmd)
	return pages
}

// manName is the name of a page: bloom-data-get.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage is one page in the macros of man(7).
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := manName(cmd)
	fmt.Fprintf(&b, ".TH %s 1 \"\" bloom \"bloom\"\n", troffWord(strings.ToUpper(name)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", troff(name), troff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", troff(strings.TrimSuffix(cmd.UseLine(), " [flags]")+" [flags]"))
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	b.WriteString(".SH DESCRIPTION\n" + manText(long))
	manFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + manText(cmd.Example))
	}
	b.WriteString(".SH EXIT STATUS\n0 when done, 1 when it failed, 2 for a wrong command line, 3 for bad data, 130 " +
		"when stopped.\n")
	if near := seeAlso(cmd); len(near) > 0 {
		b.WriteString(".SH SEE ALSO\n" + strings.Join(near, " ,\n") + "\n")
	}
	return b.String()
}

// manFlags is a section with a paragraph for every flag.
func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, text := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", troff(name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", troff(value))
		}
		b.WriteString("\n" + troff(text) + "\n")
	})
}

// seeAlso are the pages of the command above and of those below.
func seeAlso(cmd *cobra.Command) []string {
	var near []string
	if cmd.HasParent() {
		near = append(near, fmt.Sprintf(".BR %s (1)", troff(manName(cmd.Parent()))))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			near = append(near, fmt.Sprintf(".BR %s (1)", troff(manName(sub))))
		}
	}
	return near
}

// manText is text for people: indented lines stay as they are, an empty line begins a paragraph.
func manText(text string) string {
	var b strings.Builder
	verbatim := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, "  "); indented != verbatim && line != "" {
			b.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n"}[indented])
			verbatim = indented
		}
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(troff(line) + "\n")
	}
	if verbatim {
		b.WriteString(".fi\n")
	}
	return b.String()
}

// troff is text in which nothing is a command: backslashes and hyphens are escaped, and so are dots and quotes that
// begin a line.
func troff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// troffWord is text as one argument of a macro.
func troffWord(text string) string { return `"` + strings.ReplaceAll(troff(text), `"`, `""`) + `"` }
