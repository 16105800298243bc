package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestMan: every command has a page, and on it stands what its help says.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man", "man1")
	if stdout, stderr, code := bloom(t, "man", dir); code != exitDone || stderr != "" ||
		!strings.Contains(stdout, "pages in") {
		t.Fatalf("exit %d, %s%s", code, stdout, stderr)
	}
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return
		}
		b, err := os.ReadFile(filepath.Join(dir, manName(cmd)+".1"))
		if err != nil {
			t.Fatal(err)
		}
		page := string(b)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(page, troff("--"+f.Name)) {
				t.Errorf("%s: no --%s", cmd.CommandPath(), f.Name)
			}
		})
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if !strings.Contains(page, troff(strings.TrimRight(line, "\n"))) {
				t.Errorf("%s: no %q", cmd.CommandPath(), line)
			}
		}
		wellFormed(t, cmd.CommandPath(), page)
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(newRoot(commands()...))
}

// macro are the lines that may begin with a dot.
var macro = regexp.MustCompile(`^\.(TH|SH|B|BR|PP|TP|nf|fi)( |$)`)

// wellFormed looks for text that would be taken for a command, and asks groff where there is one.
func wellFormed(t *testing.T, name, page string) {
	t.Helper()
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !macro.MatchString(strings.TrimSpace(line)) {
			t.Errorf("%s: %q would be a command", name, line)
		}
	}
	if strings.Count(page, "\n.nf\n") != strings.Count(page, "\n.fi\n") {
		t.Errorf("%s: .nf and .fi do not match", name)
	}
	if _, err := exec.LookPath("groff"); err != nil {
		return
	}
	cmd := exec.Command("groff", "-man", "-k", "-Tutf8", "-wmac", "-wel", "-wfont", "-wscale", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s: groff: %v\n%s", name, err, out)
	}
}

func TestTroff(t *testing.T) {
	for text, want := range map[string]string{
		".bloom files":      `\&.bloom files`,
		"'quoted'\nand .":   "\\&'quoted'\nand .",
		`C:\data --out`:     `C:\edata \-\-out`,
		"γ ≤ 2/L":           "γ ≤ 2/L",
		"first\n.SH second": "first\n\\&.SH second",
	} {
		if got := troff(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := troffWord(`say "x"`); got != `"say ""x"""` {
		t.Errorf("got %s", got)
	}
}
