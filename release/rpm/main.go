// Command rpm packs a folder as an .rpm:
//
//	rpm VERSION ARCH FOLDER FILE
//
// writes into FILE a package that installs what is in FOLDER. Same files, same bytes: nothing has a time. It is a
// module of its own, so that users do not inherit what writes an .rpm.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/rpmpack"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: rpm VERSION ARCH FOLDER FILE")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "rpm:", err)
		os.Exit(1)
	}
}

// pack writes a package. 1.2.3~rc.1 comes before 1.2.3.
func pack(version, arch, folder, to string) error {
	const home = "https://github.com/bloomgml/bloom"
	r, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: "bloom", Version: strings.Replace(strings.TrimPrefix(version, "v"), "-", "~", 1), Release: "1",
		OS: "linux", Arch: map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch],
		Summary: "Graph machine learning by bilevel optimization", Description: "See " + home, URL: home,
		Licence: "Apache-2.0", Vendor: "bloom", Packager: "bloom", BuildHost: "localhost", BuildTime: time.Unix(0, 0),
		Compressor: "gzip",
	})
	if err != nil {
		return err
	}
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		r.AddFile(rpmpack.RPMFile{Name: strings.TrimPrefix(path, folder), Body: data,
			Mode: 0o100000 | uint(info.Mode().Perm()), Owner: "root", Group: "root"})
		return err
	})
	if err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	if err := r.Write(f); err != nil {
		return err
	}
	return f.Close()
}
