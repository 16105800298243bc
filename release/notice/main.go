// Command notice writes the NOTICE of the programs of this repository: the modules that are linked into them on any
// system, with versions, licences and their texts. It fails if a licence is not among those that are allowed.
//
//	go run ./release/notice                # NOTICE, of bloom, and beam/NOTICE, of bloom-beam
//	go run ./release/notice -check bloom   # fails if NOTICE is not what it would write
//	go run ./release/notice -sbom v1.2.3 -commit abc -time 1700000000 bloom   # prints the modules as SPDX
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

//go:generate go run -C ../.. ./release/notice

// program is one that is linked, with the folder of its module, from the top of the repository.
type program struct{ name, dir, path string }

var programs = []program{{"bloom", ".", "./cmd/bloom"}, {"bloom-beam", "beam", "./cmd/bloom-beam"}}

func main() {
	check := flag.Bool("check", false, "compare and write nothing")
	version := flag.String("sbom", "", "print an SPDX document for this version instead")
	commit := flag.String("commit", "unknown", "the commit that the document is about")
	seconds := flag.Int64("time", 0, "its time, in seconds since 1970")
	flag.Parse()
	for _, p := range programs {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), p.name) {
			continue
		}
		do := func() error { return p.update(*check) }
		if *version != "" {
			do = func() error {
				modules, err := linked(p.dir, p.path)
				if err != nil {
					return err
				}
				return sbom(os.Stdout, p.name, *version, *commit, time.Unix(*seconds, 0), modules)
			}
		}
		if err := do(); err != nil {
			fmt.Fprintln(os.Stderr, "notice:", err)
			os.Exit(1)
		}
	}
}

// update writes the notice of p, or compares it.
func (p program) update(check bool) error {
	modules, err := linked(p.dir, p.path)
	if err != nil {
		return err
	}
	name, want := filepath.Join(p.dir, "NOTICE"), notice(p.name, modules)
	if !check {
		return os.WriteFile(name, []byte(want), 0o666)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		return fmt.Errorf("%s is out of date: go run ./release/notice writes it", name)
	}
	return nil
}

// notice is the text of a NOTICE. Texts that differ in spaces alone stand there once.
func notice(program string, modules []*module) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The program %s contains code of other projects, under licences whose texts follow.\n", program)
	b.WriteString("Written by go run ./release/notice; what is not here is under the LICENSE of this project.\n\n")
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
