//go:build cuda && linux

package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"strings"
)

// readSource is a kernel with the files that it includes in their places, and the hash of all of it.
func readSource(folder fs.FS, name string) (text, hash string, err error) {
	own, err := fs.ReadFile(folder, name)
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	for line := range strings.Lines(string(own)) {
		include, is := strings.CutPrefix(line, `#include "`)
		if !is {
			b.WriteString(line)
			continue
		}
		file, _, _ := strings.Cut(include, `"`)
		more, _, err := readSource(folder, file)
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", name, err)
		}
		b.WriteString(more)
	}
	text = b.String()
	return text, fmt.Sprintf("%x", sha256.Sum256([]byte(text))), nil
}

// header is the first line of what was compiled from text with this hash.
func header(hash string) string { return "// sha256 " + hash + "\n" }
