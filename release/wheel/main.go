// Command wheel packs a built program and the Python package into a wheel, which pip installs without a compiler:
//
//	go run ./release/wheel VERSION OS/ARCH PROGRAM FOLDER   # prints the path of the wheel
//
// Same files, same bytes: entries are sorted and have no time.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: wheel VERSION OS/ARCH PROGRAM FOLDER")
		os.Exit(2)
	}
	path, err := build(".", os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	if err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}
