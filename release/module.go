package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a module that is linked into a program.
type module struct {
	path, version string
	licences      []string
	texts         []text
}

// text is a licence or a notice of a module.
type text struct {
	file string // inside the module
	text string
}

// systems are those that releases are built for.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// listed is what go list says about a package.
type listed struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{}
	}
}

// linked are the modules of a program in a folder on any of the systems, and Go itself. The error is an *exec.ExitError
// if they could not be fetched.
func linked(dir, program string) ([]*module, error) {
	all := map[string]*module{}
	for _, system := range systems {
		goos, arch, _ := strings.Cut(system, "/")
		cmd := exec.Command("go", "list", "-deps", "-json=Dir,Module", "-tags", "cuda", program)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w\n%s", cmd, system, err, stderr.String())
		}
		for in := json.NewDecoder(bytes.NewReader(out)); ; {
			var p listed
			if err := in.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module == nil || p.Module.Main || p.Module.Replace != nil {
				continue // of the standard library, or our own
			}
			m := all[p.Module.Path]
			if m == nil {
				m = &module{path: p.Module.Path, version: p.Module.Version}
				all[p.Module.Path] = m
			}
			if err := m.read(p.Module.Dir, p.Dir); err != nil {
				return nil, err
			}
		}
	}
	list, err := golang()
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if len(m.licences) == 0 {
			return nil, fmt.Errorf("%s: there is no licence", m.path)
		}
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *module) int { return cmp.Compare(a.path, b.path) })
	return list, nil
}

// golang is the standard library and the runtime, which are linked into everything.
func golang() ([]*module, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	m := &module{path: "Go: standard library and runtime"}
	dir := strings.TrimSpace(string(root))
	return []*module{m}, m.read(dir, dir)
}

// read adds the licences of a folder of a module, and of the folders above it.
func (m *module) read(root, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := m.add(root, filepath.Join(dir, f.Name()), f); err != nil {
			return err
		}
	}
	if dir == root {
		return nil
	}
	return m.read(root, filepath.Dir(dir))
}

// add adds a file, if it is a licence or a notice that is not there yet.
func (m *module) add(root, name string, f fs.DirEntry) error {
	inside, err := filepath.Rel(root, name)
	if err != nil {
		return err
	}
	inside = filepath.ToSlash(inside)
	known := slices.ContainsFunc(m.texts, func(t text) bool { return t.file == inside })
	if f.IsDir() || known || !isLicence(f.Name()) && !isNotice(f.Name()) || path.Ext(f.Name()) == ".go" ||
		slices.Contains(aside, m.path+"/"+inside) {
		return nil
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if isLicence(f.Name()) {
		ids, err := identify(string(b))
		if err != nil {
			return fmt.Errorf("%s %s: %w", m.path, inside, err)
		}
		m.licences = append(m.licences, ids...)
		slices.Sort(m.licences)
		m.licences = slices.Compact(m.licences)
	}
	m.texts = append(m.texts, text{inside, tidy(string(b))})
	return nil
}

// tidy is a text without spaces at the ends of lines.
func tidy(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r", ""), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
}

// allowed are the licences of code that may be linked, by what their texts say in lower case with single spaces. They
// ask for no more than that their texts go with the program.
var allowed = []struct {
	id           string
	has, without string
}{
	{"Apache-2.0", "apache license,? version 2.0", ""},
	{"BSD-2-Clause", "redistribution and use in source and binary forms", "endorse or promote"},
	{"BSD-3-Clause", "redistribution and use in source and binary forms.*endorse or promote", ""},
	{"ISC", "permission to use, copy, modify, and(/or)? distribute this software for any purpose", ""},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy", ""},
	{"public domain (SQLite)", "^sqlite is public domain", ""},
}

// refused are words of other licences, whatever else a text has.
var refused = regexp.MustCompile("creative commons|general public license|mozilla public license|commons clause|" +
	"eclipse public license|server side public license|business source license|elastic license")

// identify returns the identifiers of the licences of a text. The error says why code under it may not be linked.
func identify(text string) ([]string, error) {
	plain := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if word := refused.FindString(plain); word != "" {
		return nil, fmt.Errorf("a licence that is not allowed: %q", word)
	}
	var ids []string
	for _, l := range allowed {
		if regexp.MustCompile(l.has).MatchString(plain) && (l.without == "" || !strings.Contains(plain, l.without)) {
			ids = append(ids, l.id)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("a licence that is not known: %.80q", plain)
	}
	return ids, nil
}

// isLicence reports whether a file has the name of a licence, and isNotice whether it has that of a notice or a grant
// which goes with one.
var (
	isLicence = regexp.MustCompile(`^(?i:licen[cs]e|copying|copyright|unlicense)([-._][-\w.]*)?$`).MatchString
	isNotice  = regexp.MustCompile(`^(?i:notice|patents)(\.\w+)?$`).MatchString
)

// aside are files that have such a name and are about something that is not linked.
var aside = []string{
	"github.com/opencontainers/go-digest/LICENSE.docs", // its documentation
	"modernc.org/memory/LICENSE-LOGO",                  // a picture
	"modernc.org/sqlite/LICENSE-3RD-PARTY.md",          // modules of its tests too; NOTICE has the linked ones
	"modernc.org/sqlite/LICENSE-SQLITE_VEC",            // package vec, which nothing imports
}
