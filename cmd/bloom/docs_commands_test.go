package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/command"
)

// TestDocsNameCommands: what the documents show as a command line of bloom, in code spans and on lines of their own,
// has a command that there is and flags that it takes.
func TestDocsNameCommands(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "bench/*.md", "beam/*.md", "release/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 14 {
		t.Fatalf("documents: %q", files)
	}
	shown := regexp.MustCompile("(?m)(?:`|^ {4}|^\\$ )(bloom [a-z][^`\n]*)")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
			if err := knownCommand(m[1]); err != nil {
				t.Errorf("%s: %s: %v", name, m[1], err)
			}
		}
	}
}

// knownCommand is why a line of words is no command line, as far as names of commands and flags go.
func knownCommand(line string) error {
	line, _, _ = strings.Cut(line, "|")
	root := newRoot(commands()...)
	root.InitDefaultCompletionCmd()
	cmd, rest, err := root.Find(strings.Fields(line)[1:])
	if err != nil {
		return err
	}
	if cmd.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return command.NoSuchCommand(cmd, rest)
	}
	for _, word := range rest {
		if flag, ok := strings.CutPrefix(word, "--"); ok && !takes(cmd, flag) {
			return fmt.Errorf("%s has no %s", cmd.CommandPath(), word)
		}
	}
	return nil
}

// takes reports whether a command has a flag, which may come with its value.
func takes(cmd *cobra.Command, flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	name = strings.TrimRight(name, ",.;:…)]")
	cmd.InitDefaultHelpFlag()
	return name == "" || cmd.Flag(name) != nil
}
