package format_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset/format"
)

// write writes a file of events and returns its path.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEvents reads the same four events in many forms.
func TestEvents(t *testing.T) {
	dates := "2024-06-01T00:00:00Z"
	for name, text := range map[string]string{
		"spaces.txt":   "a x 10\nb x 20\na x 20.5\na y 40\n",
		"tabs.tsv":     "a\tx\t10\nb\tx\t20\na\tx\t20.5\na\ty\t40\n",
		"commas.csv":   "user,page,time,weight\na,x,10,3\nb,\"x\",20,3\na,x,20.5,3\na,y,40,3\n",
		"comments.txt": "# what\n% this is\n\n a x 10\r\nb x 20\r\na  x 20.5\r\na y 40",
		"back.txt":     "from to when\na x 10\na y 40\nb x 20\na x 20.5\n",
	} {
		path := write(t, name, text)
		d, err := format.Events(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		e := d.Events
		var got []string
		for i := range e.Time {
			got = append(got, d.NodeName(e.Source[i])+d.NodeName(e.Target[i])+e.When(e.Time[i]))
		}
		if want := []string{"ax10", "bx20", "ax20.5", "ay40"}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if d.Graph.NumEdges() != 3 || d.Metric != "mrr" {
			t.Errorf("%s: %d edges, metric %q", name, d.Graph.NumEdges(), d.Metric)
		}
		if back := name == "back.txt"; back != (len(d.Notes) == 1 && strings.Contains(d.Notes[0], "sorted")) &&
			name != "commas.csv" {
			t.Errorf("%s: notes %q", name, d.Notes)
		}
		if format.IsEvents(path) == (name == "back.txt") { // its times neither rise nor are large
			t.Errorf("%s: is events: %v", name, format.IsEvents(path))
		}
	}
	for _, text := range []string{"a b " + dates, "a b 2024-06-01", "a b 2024-06-01 00:00:00"} {
		d, err := format.Events(write(t, "d.txt", text))
		if err != nil || d.Events.When(d.Events.Time[0]) != dates {
			t.Errorf("%s: %v, %v", text, d, err)
		}
	}
}

// TestNotEvents: weighted edges, triples and other text are no events, and are opened as before.
func TestNotEvents(t *testing.T) {
	for name, text := range map[string]string{
		"weights.txt": "a b 1\na c 1\nb c 1\n", "other.txt": "a b 3\na c 1\nb c 2\n", "two.txt": "a b\n",
		"words.txt": "ann knows bob\nbob knows cid\n", "head.txt": "a b c\n", "empty.txt": "",
		"triples.txt": "1\t2\t7\n2\t2\t3\n",
	} {
		if format.IsEvents(write(t, name, text)) {
			t.Errorf("%s is taken for events", name)
		}
	}
	path := write(t, "both.txt", "1\t7\t3\n2\t7\t4\n3\t7\t5\n")
	if d, err := format.Open(path); err != nil || d.Events != nil || len(d.Relations) != 1 {
		t.Errorf("without being asked for: %v, %v", d, err)
	}
	if d, err := format.Events(path); err != nil || d.Events == nil || !format.IsEvents(path) {
		t.Errorf("asked for: %v, %v", d, err)
	}
	_, err := format.Open(write(t, "log.txt", "a b 1082040961\nb c 1082040962\n"))
	if err == nil || !strings.Contains(err.Error(), "--task links") {
		t.Errorf("opened as something else: %v", err)
	}
}

// TestBadEvents: mistakes name their line and value.
func TestBadEvents(t *testing.T) {
	for text, want := range map[string]string{
		"a b 1\na b\n":          ":2: want source, target and time: \"a b\"",
		"a b 1\n\na c x\n":      ":3: time \"x\", want a number or a date as 2024-06-01T12:30:00",
		"a b 1\na c NaN\n":      ":2: time \"NaN\"",
		"a,b,1\na,,2\n":         ":2: want source, target and time",
		"a b 1\na b 2024-06-01": ":2: time \"2024-06-01\", but others are numbers",
		"a b 1700000000\na b 1700000001\na b 1700000002000": ":3: time 1700000002000 looks like milliseconds since " +
			"1970, and 1700000000 in line 1 like seconds: times must have one unit",
		"# nothing": "no events, want lines of source, target and time",
	} {
		if _, err := format.Events(write(t, "e.txt", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzEvents: any text is events in the order of time, or an error.
func FuzzEvents(f *testing.F) {
	for _, text := range []string{"a b 1\na c 2\n", "x,y,time\na,b,2024-06-01\n", "a\tb\t1e300\nb\tb\t-1", "# \n%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := write(t, "e.txt", text)
		is := format.IsEvents(path)
		d, err := format.Events(path)
		if err != nil {
			return
		}
		e := d.Events
		if n := len(e.Time); n == 0 || len(e.Source) != n || len(e.Target) != n || !slices.IsSorted(e.Time) {
			t.Errorf("%+v, is %v", e, is)
		}
	})
}

// A log of who edited what is a graph in time.
func ExampleEvents() {
	path := filepath.Join(os.TempDir(), "edits.txt")
	defer os.Remove(path)
	if err := os.WriteFile(path, []byte("ann start 2024-06-01\nbob start 2024-06-02\nann end 2024-06-03\n"),
		0o666); err != nil {
		log.Fatal(err)
	}
	d, err := format.Events(path)
	if err != nil {
		log.Fatal(err)
	}
	noon, err := format.ParseTime("2024-06-02T12:00:00")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(format.IsEvents(path), len(d.Events.Time), d.NodeName(d.Events.Target[2]), d.Events.Time[1] < noon)
	// Output: true 3 end true
}
