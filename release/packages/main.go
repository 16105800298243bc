// Command packages packs built programs for package managers:
//
//	packages VERSION COMMIT FOLDER OS/ARCH=PROGRAM…
//
// writes into FOLDER a .deb and an .rpm for every Linux program, bloom-VERSION-image.tar, an OCI image layout with one
// image for each of them, and bloom.rb, a formula of Homebrew for the archives in FOLDER. It needs no daemon and is run
// at the top of the repository. Same files, same bytes: nothing has a time. It prints the paths.
//
// It is a module of its own, so that users do not inherit what writes an .rpm.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// release is what is packed.
type release struct {
	version, commit, out string
	programs             []program
}

// program is a built program of one system.
type program struct{ os, arch, path string }

func main() {
	if len(os.Args) < 5 {
		fmt.Fprintln(os.Stderr, "usage: packages VERSION COMMIT FOLDER OS/ARCH=PROGRAM...")
		os.Exit(2)
	}
	r := release{version: os.Args[1], commit: os.Args[2], out: os.Args[3]}
	for _, arg := range os.Args[4:] {
		target, path, _ := strings.Cut(arg, "=")
		system, arch, _ := strings.Cut(target, "/")
		r.programs = append(r.programs, program{system, arch, path})
	}
	if err := r.pack(); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

// pack writes everything and prints the paths.
func (r release) pack() error {
	if !regexp.MustCompile(`^v?\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`).MatchString(r.version) {
		return fmt.Errorf("the version %q is not such as v1.2.3 or v1.2.3-rc.1", r.version)
	}
	var images []program
	for _, p := range r.programs {
		if p.os != "linux" {
			continue
		}
		images = append(images, p)
		for ending, write := range map[string]func(program) ([]byte, error){"deb": r.deb, "rpm": r.rpm} {
			data, err := write(p)
			if err == nil {
				err = r.write(fmt.Sprintf("bloom-%s-linux-%s.%s", r.version, p.arch, ending), data)
			}
			if err != nil {
				return err
			}
		}
	}
	if len(images) > 0 {
		data, err := r.image(images)
		if err == nil {
			err = r.write("bloom-"+r.version+"-image.tar", data)
		}
		if err != nil {
			return err
		}
	}
	formula, err := r.formula()
	if err != nil || formula == "" {
		return err
	}
	return r.write("bloom.rb", []byte(formula))
}

// write writes a file of the release and prints its path.
func (r release) write(name string, data []byte) error {
	path := filepath.Join(r.out, name)
	fmt.Println(path)
	return os.WriteFile(path, data, 0o666)
}

// plain returns the version as Debian and rpm order it: 1.2.3~rc.1 comes before 1.2.3.
func (r release) plain() string {
	return strings.Replace(strings.TrimPrefix(r.version, "v"), "-", "~", 1)
}

// What package managers say about the program.
const (
	home    = "https://github.com/bloomgml/bloom"
	summary = "Graph machine learning by bilevel optimization"
	about   = "bloom learns from graphs and from tables that belong together. It predicts classes, numbers, " +
		"links and facts, says why, and finds what is probably wrong in the data."
)

// entry is a file of a package.
type entry struct {
	name string // its path, without the slash in front
	mode int64
	data []byte
}

// entries returns the files of a package.
func entries(p program) ([]entry, error) {
	var list []entry
	for _, f := range []struct {
		from, to string
		mode     int64
	}{
		{p.path, "usr/bin/bloom", 0o755},
		{"LICENSE", "usr/share/doc/bloom/copyright", 0o644},
		{"NOTICE", "usr/share/doc/bloom/NOTICE", 0o644},
		{"README.md", "usr/share/doc/bloom/README.md", 0o644},
	} {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		list = append(list, entry{f.to, f.mode, data})
	}
	return list, nil
}
