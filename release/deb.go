package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"fmt"
	"io"
	"path"
	"slices"
	"time"
)

// writeDeb writes a Debian package: an ar archive of the version of the format, a control archive and the files.
func (r release) writeDeb(p program) error {
	list, err := entries(source{p.path, "usr/bin/bloom", 0o755},
		source{"LICENSE", "usr/share/doc/bloom/copyright", 0o644},
		source{"NOTICE", "usr/share/doc/bloom/NOTICE", 0o644},
		source{"README.md", "usr/share/doc/bloom/README.md", 0o644})
	if err != nil {
		return err
	}
	size, sums := 0, ""
	for _, e := range list {
		size += len(e.data)
		sums += fmt.Sprintf("%x  %s\n", md5.Sum(e.data), e.name)
	}
	control := fmt.Sprintf("Package: bloom\nVersion: %s\nArchitecture: %s\nMaintainer: bloom <%s>\n"+
		"Installed-Size: %d\nSection: science\nPriority: optional\nHomepage: %s\nDescription: %s\n %s\n",
		r.plain(), p.arch, home, (size+1023)/1024, home, summary, about)
	meta, err := packed("./", []entry{{"control", 0o644, []byte(control)}, {"md5sums", 0o644, []byte(sums)}})
	if err != nil {
		return err
	}
	data, err := packed("./", list)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, m := range []entry{
		{"debian-binary", 0, []byte("2.0\n")}, {"control.tar.gz", 0, meta}, {"data.tar.gz", 0, data},
	} {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", m.name, 0, 0, 0, "100644", len(m.data))
		b.Write(m.data)
		if len(m.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return r.write(fmt.Sprintf("bloom-%s-linux-%s.deb", r.version, p.arch), b.Bytes())
}

// packed returns a compressed tar archive of files and their folders, which belong to root and have no time.
func packed(prefix string, list []entry) ([]byte, error) {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err := archive(z, prefix, list); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// archive writes a tar archive of files and their folders; prefix goes in front of all names.
func archive(w io.Writer, prefix string, list []entry) error {
	t := tar.NewWriter(w)
	var folders []string
	for _, e := range list {
		var above []string
		for dir := path.Dir(e.name); dir != "."; dir = path.Dir(dir) {
			above = append(above, dir)
		}
		slices.Reverse(above)
		for _, dir := range above {
			if slices.Contains(folders, dir) {
				continue
			}
			folders = append(folders, dir)
			if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: prefix + dir + "/", Mode: 0o755,
				ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}); err != nil {
				return err
			}
		}
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: prefix + e.name, Mode: e.mode,
			Size: int64(len(e.data)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	return t.Close()
}
