package show

import (
	"os/exec"
	"testing"
)

func TestCommand(t *testing.T) {
	for word, want := range map[string]string{
		"csbm:nodes=500,features=3": "csbm:nodes=500,features=3", "": "''", "Eva Mason": "'Eva Mason'",
		"$(rm -rf x)": "'$(rm -rf x)'", "it's": `'it'\''s'`, "a;b": "'a;b'", "Zoë": "'Zoë'", "~": "'~'",
		"\x1b[2J": `"$(printf '\033\1332J')"`,
	} {
		if got := ShellCommand(word); got != want {
			t.Errorf("%q is quoted as %s, want %s", word, got, want)
		}
	}
}

// TestCommandShell: what a POSIX shell makes of a quoted word is the word.
func TestCommandShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	for _, word := range []string{"", "a b", "$HOME `id` $(id) \"x\" 'y' \\n", "\x1b[31m%d\a\x7f", "a\nb", "ä\u202e€",
		"-n", "*?[a]~#!&|;<>(){}", "\xff\xfe"} {
		got, err := exec.Command(sh, "-c", ShellCommand("printf", "%s", word)).Output()
		if err != nil || string(got) != word {
			t.Errorf("%q became %q, %v", word, got, err)
		}
	}
}
