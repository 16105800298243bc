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
		m.licences = union(m.licences, ids)
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
