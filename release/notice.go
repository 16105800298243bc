package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

//go:generate go run -C .. ./release notice

// subject is a program whose modules are named, with the folder of its module, from the top of the repository.
type subject struct{ name, dir, path string }

var subjects = []subject{{"bloom", ".", "./cmd/bloom"}, {"bloom-beam", "beam", "./cmd/bloom-beam"}}

// notices writes the NOTICE of programs, of all if none is named: the modules that are linked into them on any system,
// with versions, licences and their texts. It fails if a licence is not among those that are allowed.
func notices(args []string) error {
	check := len(args) > 0 && args[0] == "-check" // compare and write nothing
	if check {
		args = args[1:]
	}
	for _, p := range subjects {
		if len(args) > 0 && !slices.Contains(args, p.name) {
			continue
		}
		if err := p.update(check); err != nil {
			return err
		}
	}
	return nil
}

// update writes the notice of p, or compares it.
func (p subject) update(check bool) error {
	modules, err := linked(p.dir, p.path)
	if err != nil {
		return err
	}
	name, want := filepath.Join(p.dir, "NOTICE"), notice(p.name, modules)
	if !check {
		return os.WriteFile(name, []byte(want), 0o666)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		return fmt.Errorf("%s is out of date: go run ./release notice writes it", name)
	}
	return nil
}

// notice is the text of a NOTICE. Texts that differ in spaces alone stand there once.
func notice(program string, modules []*module) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The program %s contains code of other projects, under licences whose texts follow.\n", program)
	b.WriteString("Written by go run ./release notice; what is not here is under the LICENSE of this project.\n\n")
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	var order []string
	texts, users := map[string]string{}, map[string][]string{}
	for _, m := range modules {
		fmt.Fprintf(table, "%s\t%s\t%s\n", m.path, m.version, strings.Join(m.licences, " and "))
		for _, t := range m.texts {
			key := strings.Join(strings.Fields(t.text), " ")
			if texts[key] == "" {
				texts[key], order = t.text, append(order, key)
			}
			users[key] = append(users[key], m.path+" "+t.file)
		}
	}
	table.Flush()
	for _, key := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s", strings.Repeat("=", 80), strings.Join(users[key], "\n"), texts[key])
	}
	return b.String()
}
