package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// formula returns a formula of Homebrew for the archives that there are; empty if none is for macOS or Linux.
func (r release) formula() (string, error) {
	var systems strings.Builder
	for _, system := range [][2]string{{"darwin", "macos"}, {"linux", "linux"}} {
		var urls strings.Builder
		for _, arch := range [][2]string{{"amd64", "intel"}, {"arm64", "arm"}} {
			name := fmt.Sprintf("bloom-%s-%s-%s.tar.gz", r.version, system[0], arch[0])
			data, err := os.ReadFile(filepath.Join(r.out, name))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&urls, "    on_%s do\n      url \"%s/releases/download/%s/%s\"\n      sha256 \"%x\"\n    end\n",
				arch[1], home, r.version, name, sha256.Sum256(data))
		}
		if urls.Len() > 0 {
			fmt.Fprintf(&systems, "  on_%s do\n%s  end\n\n", system[1], urls.String())
		}
	}
	if systems.Len() == 0 {
		return "", nil
	}
	return fmt.Sprintf(`class Bloom < Formula
  desc %q
  homepage %q
  version %q
  license "Apache-2.0"

%s  def install
    bin.install "bloom"
    generate_completions_from_executable(bin/"bloom", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/bloom version")
  end
end
`, summary, home, strings.TrimPrefix(r.version, "v"), systems.String()), nil
}
