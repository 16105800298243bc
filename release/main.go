// Command release makes what a release has besides the programs, which build.sh compiles. It is run at the top of the
// repository:
//
//	go run ./release notice                # NOTICE, of bloom, and beam/NOTICE, of bloom-beam
//	go run ./release notice -check bloom   # fails if NOTICE is not what it would write
//	go run ./release sbom VERSION COMMIT SECONDS   # prints the modules of bloom as SPDX, for a time since 1970
//	go run ./release packages VERSION COMMIT FOLDER OS/ARCH=PROGRAM…
//	go run ./release play [FOLDER]         # the engine of the page docs/play
//
// packages writes a wheel for every program, a .deb for every Linux program, bloom-VERSION-image.tar, an OCI image
// layout with one image for each of these, and bloom.rb, a formula of Homebrew for the archives in FOLDER. It needs no
// daemon and prints the paths. Same files, same bytes: nothing has a time. An .rpm is made by release/rpm, a module of
// its own.
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	err := errors.New("want notice, sbom, packages or play")
	if len(os.Args) > 1 {
		switch args := os.Args[2:]; os.Args[1] {
		case "notice":
			err = notices(args)
		case "sbom":
			err = printSBOM(args)
		case "packages":
			err = packages(args)
		case "play":
			err = writePlay(args, os.Stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}
