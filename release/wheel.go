package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// tags are the platforms of wheels. The program is static, so any libc will do; macOS is the oldest that Go supports.
var tags = map[string]string{
	"linux/amd64":   "manylinux2014_x86_64.musllinux_1_1_x86_64",
	"linux/arm64":   "manylinux2014_aarch64.musllinux_1_1_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
	"windows/arm64": "win_arm64",
}

// wheel writes a built program and the Python package, which pip installs without a compiler.
func (r release) wheel(p program) error {
	tag, known := tags[p.os+"/"+p.arch]
	if !known {
		return fmt.Errorf("no wheel is known for %s/%s", p.os, p.arch)
	}
	number, err := pep440(r.version)
	if err != nil {
		return err
	}
	entries, err := sources(".")
	if err != nil {
		return err
	}
	binary, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	name := "bloomgml/bin/bloom"
	if p.os == "windows" {
		name += ".exe"
	}
	entries = append(entries, entry{name, 0o755, binary})
	info, err := metadata(".", number, tag)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := pack(&packed, append(entries, info...), "bloomgml-"+number+".dist-info/RECORD"); err != nil {
		return err
	}
	return r.write(fmt.Sprintf("bloomgml-%s-py3-none-%s.whl", number, tag), packed.Bytes())
}

// sources returns the files of the package.
func sources(root string) ([]entry, error) {
	var out []entry
	top := filepath.Join(root, "python")
	err := filepath.WalkDir(filepath.Join(top, "bloomgml"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".py" && d.Name() != "py.typed" {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(top, path)
		out = append(out, entry{filepath.ToSlash(name), 0o644, data})
		return err
	})
	return out, err
}

// metadata returns what pip wants to know, and the licences.
func metadata(root, version, tag string) ([]entry, error) {
	folder := "bloomgml-" + version + ".dist-info/"
	wheel := "Wheel-Version: 1.0\nGenerator: bloom release\nRoot-Is-Purelib: false\n"
	for _, t := range strings.Split(tag, ".") {
		wheel += "Tag: py3-none-" + t + "\n"
	}
	about, err := os.ReadFile(filepath.Join(root, "docs", "python.md"))
	if err != nil {
		return nil, err
	}
	out := []entry{
		{folder + "METADATA", 0o644, fmt.Appendf(nil, header, version, about)},
		{folder + "WHEEL", 0o644, []byte(wheel)},
		{folder + "entry_points.txt", 0o644, []byte("[console_scripts]\nbloom = bloomgml.__main__:main\n")},
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		out = append(out, entry{folder + "licenses/" + name, 0o644, text})
	}
	return out, nil
}

// header is METADATA up to the description, which follows it.
const header = `Metadata-Version: 2.4
Name: bloomgml
Version: %s
Summary: Learning from graphs and from tables that belong together, on pandas frames
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.10
Requires-Dist: pandas>=2.0
Requires-Dist: pyarrow>=14
Provides-Extra: sklearn
Requires-Dist: scikit-learn>=1.6; extra == "sklearn"
Description-Content-Type: text/markdown

%s`

// pack writes entries sorted by name, and RECORD, which has the checksums of all others, last.
func pack(w io.Writer, entries []entry, record string) error {
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	var lines strings.Builder
	for _, e := range entries {
		sum := sha256.Sum256(e.data)
		fmt.Fprintf(&lines, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.data))
	}
	fmt.Fprintf(&lines, "%s,,\n", record)
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(to, flate.BestCompression)
	})
	for _, e := range append(entries, entry{record, 0o644, []byte(lines.String())}) {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(fs.FileMode(e.mode))
		to, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := to.Write(e.data); err != nil {
			return err
		}
	}
	return z.Close()
}

var semver = regexp.MustCompile(`^v?(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)\.?(\d+)|-([0-9A-Za-z.-]+))?$`)

// pep440 returns a version as pip writes it: v1.2.3-rc.1 is 1.2.3rc1, and v1.2.3-ci, which has no equal there,
// 1.2.3.dev0+ci.
func pep440(version string) (string, error) {
	m := semver.FindStringSubmatch(version)
	switch {
	case m == nil:
		return "", fmt.Errorf("version %q is not like v1.2.3 or v1.2.3-rc.1", version)
	case m[2] != "":
		return m[1] + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3], nil
	case m[4] != "":
		return m[1] + ".dev0+" + strings.ToLower(strings.ReplaceAll(m[4], "-", ".")), nil
	}
	return m[1], nil
}
