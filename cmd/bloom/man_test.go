package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestMan: every command has a page, and on it stands every word that its help says; groff finds nothing wrong with it.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man", "man1")
	for range 2 { // its own pages are replaced
		if stdout, stderr, code := bloom(t, "man", dir); code != exitDone || stderr != "" ||
			!strings.Contains(stdout, "pages in") {
			t.Fatalf("exit %d, %s%s", code, stdout, stderr)
		}
	}
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return
		}
		b, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"))
		if err != nil {
			t.Fatal(err)
		}
		words := map[string]bool{}
		for _, word := range strings.Fields(plainManual(string(b))) {
			words[word] = true
		}
		said := cmd.Short + "\n" + cmd.Long + "\n" + cmd.Example
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(plainManual(string(b)), "--"+f.Name) {
				t.Errorf("%s: no --%s", cmd.CommandPath(), f.Name)
			}
		})
		for _, word := range strings.Fields(said) {
			if !words[word] {
				t.Errorf("%s: no %q", cmd.CommandPath(), word)
			}
		}
		checkManual(t, cmd.CommandPath(), string(b))
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(newRoot(commands()...))
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if _, err := os.Stat(filepath.Join(dir, "bloom-completion-"+shell+".1")); err != nil {
			t.Error(err)
		}
	}
}

// plainManual is a page without fonts and escapes.
func plainManual(page string) string {
	return strings.NewReplacer(`\fB`, "", `\fR`, "", `\fI`, "", `\fP`, "", `\-`, "-", `\&`, "", `\e`, `\`, `\\`, `\`).
		Replace(page)
}

// checkManual asks groff about a page where there is one.
func checkManual(t *testing.T, name, page string) {
	t.Helper()
	if _, err := exec.LookPath("groff"); err != nil {
		return
	}
	cmd := exec.Command("groff", "-man", "-k", "-Tutf8", "-wmac", "-wel", "-wfont", "-wscale", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s: groff: %v\n%s", name, err, out)
	}
}
