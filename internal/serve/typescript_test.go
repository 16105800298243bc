package serve

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTypeScript makes types for TypeScript of the description of the server, as its users do, and checks a client that
// uses them, in which what is wrong must be found. $BLOOM_TYPESCRIPT is a folder with the packages openapi-typescript,
// openapi-fetch and typescript in node_modules; .ci/run installs them.
func TestTypeScript(t *testing.T) {
	folder := os.Getenv("BLOOM_TYPESCRIPT")
	if folder == "" {
		t.Skip("BLOOM_TYPESCRIPT names no folder of packages")
	}
	r := serving(t, Options{}, trained(t, "base"))
	var document json.RawMessage
	r.ask("/v1/openapi.json", "", 200, &document)
	client, err := os.ReadFile("testdata/client.ts")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"openapi.json": document, "client.ts": client} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range [][]string{
		{"openapi-typescript", "openapi.json", "-o", "api.d.ts"},
		{"tsc", "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--lib", "es2022,dom", "--module",
			"nodenext", "--moduleResolution", "nodenext", "client.ts"},
	} {
		cmd := exec.Command(filepath.Join(folder, "node_modules", ".bin", line[0]), line[1:]...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
}
