// Package keytest proves that no key of a config is ignored in silence: another value of it changes what a training
// leaves, or is refused with the reason, and then would have changed nothing.
package keytest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/train"
)

// Keys are the config keys of the trainings of a package, with what is known about them.
type Keys struct {
	// About are the keys that say what is done with a model, and not what the model is, with the reason.
	About map[string]string
	// Alike are values that mean the same as others, as key=value.
	Alike map[string]string
	// Nearly are keys that are refused although they change something, with the reason.
	Nearly map[string]string
	// Values are the values to try for keys that accept neither half of their current value nor one more.
	Values map[string][]string

	mu      sync.Mutex
	changed map[string]bool
}

// Training is one that is short, with settings that make it small or a case of its own.
type Training struct {
	Recipe, Data string
	Set          []string
	// Train is what the training leaves with some settings: all of it, and what is predicted. Without a check keys that
	// are idle pass.
	Train func(set []string, check bool) (left, predicted string, err error)
}

// Sets reports whether a key is among the settings.
func (x Training) Sets(key string) bool {
	return slices.ContainsFunc(x.Set, func(s string) bool { return strings.HasPrefix(s, key+"=") })
}

// with trains with one setting more.
func (x Training) with(change string, check bool) (left, predicted string, err error) {
	return x.Train(append(slices.Clone(x.Set), change), check)
}

// Prove gives every key for which look is true other values.
func (k *Keys) Prove(t *testing.T, x Training, look func(key string) bool) {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: x.Recipe, Data: x.Data, Set: x.Set})
	if err != nil {
		t.Fatal(err)
	}
	left, predicted, err := x.Train(x.Set, true)
	if err != nil {
		t.Fatal(err)
	}
	now := c.Values()
	for _, key := range config.Keys() {
		if key.Kind == keys.Section || k.About[key.Path] != "" || !look(key.Path) {
			continue
		}
		seen := map[string]string{left: "before"}
		for _, value := range k.others(key, now(key.Path)) {
			change := key.Path + "=" + value
			got, _, err := x.with(change, true)
			if err != nil {
				k.refused(t, x, change, predicted, err)
				continue
			}
			if was := seen[got]; was != "" && k.Alike[change] == "" {
				t.Errorf("%s changes nothing: the same as %s", change, was)
			} else if was == "" {
				k.note(key.Path)
			}
			seen[got] = change
		}
	}
}

// note keeps that a key changes something.
func (k *Keys) note(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.changed == nil {
		k.changed = map[string]bool{}
	}
	k.changed[key] = true
}

// Unchanged are the keys for which look is true that changed nothing in any training so far.
func (k *Keys) Unchanged(look func(key string) bool) (list []string) {
	for _, key := range config.Keys() {
		if key.Kind != keys.Section && k.About[key.Path] == "" && look(key.Path) && !k.changed[key.Path] {
			list = append(list, key.Path)
		}
	}
	return list
}

// others are values of a key other than the current one.
func (k *Keys) others(key config.Key, now string) []string {
	other := func(v string) bool { return v == now }
	if v, ok := k.Values[key.Path]; ok {
		return slices.DeleteFunc(slices.Clone(v), other)
	}
	switch n, err := strconv.ParseFloat(now, 64); {
	case key.Kind == keys.Flag:
		return []string{strconv.FormatBool(now != "true")}
	case len(key.Words) > 0:
		return slices.DeleteFunc(slices.Clone(key.Words), other)
	case key.Kind == keys.Whole && err == nil:
		return []string{fmt.Sprint(int(n) + 1)}
	case n != 0:
		return []string{fmt.Sprint(n / 2)}
	}
	return []string{"0.3"}
}

// refused looks whether a key that is refused as idle is idle, and whether the error says which one it is.
func (k *Keys) refused(t *testing.T, x Training, change, predicted string, err error) {
	t.Helper()
	_, got, unchecked := x.with(change, false)
	if unchecked != nil {
		return // it cannot be, whether it is read or not
	}
	var bad *train.BadSetting
	switch key, _, _ := strings.Cut(change, "="); {
	case !errors.As(err, &bad):
		t.Errorf("%s: %v", change, err)
	case bad.Key != key && !strings.HasPrefix(key, bad.Key+"."): // it makes one idle that was set, or brings it along
		if !x.Sets(bad.Key) && !strings.HasPrefix(bad.Key, key[:strings.LastIndex(key, ".")+1]) {
			t.Errorf("%s: refused for a key that was not set: %v", change, err)
		}
	case got != predicted && k.Nearly[key] == "":
		t.Errorf("%s is refused, and would change something: %v", change, err)
	}
}
