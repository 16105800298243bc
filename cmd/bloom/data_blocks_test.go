package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDataBlocks types the examples of bloom data blocks, with tables of its own for the last of them, and reads what
// they leave.
func TestDataBlocks(t *testing.T) {
	t.Chdir(t.TempDir())
	people := rowsOf(12, func(i int) string { return fmt.Sprintf("u%d,%d,%s\n", i, 20+i, []string{"ops", "dev"}[i%2]) })
	follows := func(by int) string {
		return "source,target\n" + rowsOf(12, func(i int) string { return fmt.Sprintf("u%d,u%d\n", i, (i+by)%12) })
	}
	for name, text := range map[string]string{"people.csv": "id,age,dept\n" + people, "follows-1.csv": follows(1),
		"follows-2.csv": follows(5)} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range strings.Split(newDataBlocks().Example, "\n") {
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		if _, text, code := bloom(t, args[1:]...); code != exitDone {
			t.Fatalf("%s: exit %d, %s", line, code, text)
		}
	}
	for _, c := range []struct{ set, want string }{{"big.bloom", "2,000"}, {"karate.bloom", "34"},
		{"team.bloom", "12"}} {
		if out, text, code := bloom(t, "data", "info", c.set); code != exitDone || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit %d, %s%s, want %s nodes", c.set, code, out, text, c.want)
		}
	}
}
