package serve

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/train"
)

// TestLearnEvents: an event that is posted changes the next answer, also with a source that nobody has seen.
func TestLearnEvents(t *testing.T) {
	dir := t.TempDir()
	file, text := filepath.Join(dir, "edits.txt"), ""
	for i := range 300 {
		text += fmt.Sprintf("u%d p%d %d\n", i%5, i%5+i/100, i)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{Data: file, Task: "links", Recipe: "decay"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := catalogue.OpenEvents(file)
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	if _, err := kinds.Of(c).Train(context.Background(), *c, d, train.Options{Dir: run}); err != nil {
		t.Fatal(err)
	}
	r := serving(t, Options{}, run)
	first := func(id string) string {
		t.Helper()
		var out struct{ Outputs []struct{ Data []any } }
		r.ask("/v2/models/run/infer", fmt.Sprintf(`{"inputs":[{"name":"source","shape":[1],"datatype":"BYTES",`+
			`"data":[%q]}],"parameters":{"top":1}}`, id), 200, &out)
		return fmt.Sprint(out.Outputs[0].Data[0])
	}
	if got := first("u1"); got != "p3" {
		t.Errorf("u1 meets %s next, want p3", got)
	}
	var failed struct{ Error string }
	r.ask("/v2/models/run/infer", `{"inputs":[{"name":"source","shape":[1],"datatype":"BYTES","data":["zoe"]}]}`, 404,
		&failed)
	body := `{"events":[{"source":"zoe","target":"p9","time":300}`
	for i := range 20 {
		body += fmt.Sprintf(`,{"source":"u1","target":"p9","time":%d}`, 301+i)
	}
	var done any
	var document map[string]any
	r.ask("/v1/events", body+"]}", 200, &done)
	r.ask("/v1/openapi.json", "", 200, &document)
	schema := dig(document, "paths", "/v1/events", "post", "responses", "200", "content", "application/json", "schema")
	if err := conform(document, schema, done, "POST /v1/events"); err != nil || fmt.Sprint(done) != "map[learnt:21]" {
		t.Errorf("%v, %v", done, err)
	}
	for _, id := range []string{"u1", "zoe"} {
		if got := first(id); got != "p9" {
			t.Errorf("%s meets %s next, want p9", id, got)
		}
	}
	r.ask("/v1/events", `{"events":[{"source":"u1","target":"p9","time":12}]}`, 400, &failed)
	if !strings.Contains(failed.Error, "time 12, want 320, the time of the last event, or later") {
		t.Error(failed.Error)
	}
	r.ask("/v1/events", `{"events":[]}`, 400, &failed)
}
