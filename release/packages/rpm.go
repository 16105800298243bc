package main

import (
	"bytes"
	"time"

	"github.com/google/rpmpack"
)

// rpm returns a package of Fedora, SUSE and the like.
func (r release) rpm(p program) ([]byte, error) {
	list, err := entries(p)
	if err != nil {
		return nil, err
	}
	pack, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: "bloom", Version: r.plain(), Release: "1", OS: "linux",
		Arch:    map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.arch],
		Summary: summary, Description: about, URL: home, Licence: "Apache-2.0", Vendor: "bloom", Packager: "bloom",
		BuildHost: "localhost", BuildTime: time.Unix(0, 0), Compressor: "gzip",
	})
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		pack.AddFile(rpmpack.RPMFile{Name: "/" + e.name, Body: e.data, Mode: uint(0o100000 | e.mode), Owner: "root",
			Group: "root"})
	}
	var b bytes.Buffer
	if err := pack.Write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
