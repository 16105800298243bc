// Command play builds the engine of the page docs/play, which shows the library at work in a browser:
//
//	go run ./release/play [FOLDER]
//
// It compiles cmd/bloom-play to WebAssembly and writes engine.js: Go's own support script, the program, compressed and
// in base64, and a function that starts it, so that the page needs no server. Without FOLDER the file is written next
// to the page; into another FOLDER the page is copied too. Same tree and Go: same bytes.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// starting is what the page calls.
const starting = `
globalThis.startBloom = async () => {
  const text = atob(globalThis.bloomEngine), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  globalThis.bloomEngine = "";
  const whole = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  const go = new Go(), { instance } = await WebAssembly.instantiate(await whole.arrayBuffer(), go.importObject);
  go.run(instance);
};
`

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "play:", err)
		os.Exit(1)
	}
}

// run builds the engine for the page of the module in which it is run.
func run(args []string, w io.Writer) error {
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	page := filepath.Join(root, "docs", "play")
	out := page
	switch {
	case len(args) > 1:
		return fmt.Errorf("want one folder, got %q", args)
	case len(args) == 1:
		out = args[0]
		if err := copyPage(page, out); err != nil {
			return err
		}
	}
	script, packed, err := engine(root)
	if err != nil {
		return err
	}
	name := filepath.Join(out, "engine.js")
	if err := os.WriteFile(name, script, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: the program has %.1f MB compressed; open %s in a browser\n", name, float64(packed)/1e6,
		filepath.Join(out, "index.html"))
	return err
}

// engine returns engine.js, and how long the compressed program in it is.
func engine(root string) (script []byte, packed int, err error) {
	goroot, err := output("go", "env", "GOROOT")
	if err != nil {
		return nil, 0, err
	}
	support, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, 0, fmt.Errorf("support script of Go: %w", err)
	}
	work, err := os.MkdirTemp("", "bloom-play")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(work)
	program := filepath.Join(work, "bloom.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", program,
		"./cmd/bloom-play")
	build.Dir, build.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("go build: %w\n%s", err, text)
	}
	code, err := os.ReadFile(program)
	if err != nil {
		return nil, 0, err
	}
	small, err := compressed(code)
	if err != nil {
		return nil, 0, err
	}
	var b bytes.Buffer
	b.Write(support)
	fmt.Fprintf(&b, "\nglobalThis.bloomEngine = %q;\n%s", base64.StdEncoding.EncodeToString(small), starting)
	return b.Bytes(), len(small), nil
}

func compressed(code []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(code); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// copyPage copies the files of the page, without an engine that is there.
func copyPage(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	list, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, f := range list {
		text, err := os.ReadFile(filepath.Join(from, f.Name()))
		if err != nil {
			return err
		}
		if f.Name() == "engine.js" {
			continue
		}
		if err := os.WriteFile(filepath.Join(to, f.Name()), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// output returns what a command prints.
func output(name string, args ...string) (string, error) {
	text, err := exec.Command(name, args...).Output()
	return strings.TrimSpace(string(text)), err
}
