package keys

import (
	"slices"
	"testing"
)

func TestName(t *testing.T) {
	names := []string{"train", "data", "recipe", "predict", "doctor", "bench"}
	for typed, want := range map[string]string{
		"trian": "train", "TRAIN": "train", "dat": "data", "pred": "predict", "doctro": "doctor", "benhc": "bench",
		"zzz": "", "": "", "frobnicate": "",
	} {
		if got := Name(typed, names); got != want {
			t.Errorf("Name(%q) = %q, want %q", typed, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"abc", "abc", 0}} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	names := []string{"Lille", "Lyon", "Lugo", "New Lyon Street", "Lyons", "Paris"}
	for typed, want := range map[string][]string{
		"lion": {"Lyon", "Lyons"}, "LYON": {"Lyon", "Lyons", "New Lyon Street"}, "zzzzzz": nil, "": nil,
		"paris": {"Paris"},
	} {
		if got := Names(typed, names, 3); !slices.Equal(got, want) {
			t.Errorf("Names(%q) = %q, want %q", typed, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	for name, want := range map[string]string{"summ": `no aggregate "summ"; did you mean "sum"?`,
		"median": `no aggregate "median"; there are sum, pna`} {
		if got := NewUnknown("aggregate", name, []string{"sum", "pna"}).Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := NewUnknown("node", "x", make([]string, few+1)).Error(); got != `no node "x"` {
		t.Error(got)
	}
}
