package main

import (
	"errors"
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

func packages(args []string) error {
	if len(args) < 4 {
		return errors.New("packages: want VERSION COMMIT FOLDER OS/ARCH=PROGRAM…")
	}
	r := release{version: args[0], commit: args[1], out: args[2]}
	for _, arg := range args[3:] {
		target, path, _ := strings.Cut(arg, "=")
		system, arch, _ := strings.Cut(target, "/")
		r.programs = append(r.programs, program{system, arch, path})
	}
	return r.pack()
}

// pack writes everything and prints the paths.
func (r release) pack() error {
	if !regexp.MustCompile(`^v?\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`).MatchString(r.version) {
		return fmt.Errorf("the version %q is not such as v1.2.3 or v1.2.3-rc.1", r.version)
	}
	var images []program
	for _, p := range r.programs {
		if err := r.wheel(p); err != nil {
			return err
		}
		if p.os != "linux" {
			continue
		}
		images = append(images, p)
		if err := r.writeDeb(p); err != nil {
			return err
		}
	}
	if len(images) > 0 {
		if err := r.writeImage(images); err != nil {
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

// plain returns the version as Debian orders it: 1.2.3~rc.1 comes before 1.2.3.
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

// source is a file that becomes an entry of another name.
type source struct {
	from, to string
	mode     int64
}

// entries reads files.
func entries(files ...source) (list []entry, err error) {
	for _, f := range files {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		list = append(list, entry{f.to, f.mode, data})
	}
	return list, nil
}
