package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/part"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/upper"
)

// parts returns the tables of all parts that a config can name.
func parts() []part.Table { return append(recipe.Parts(), upper.Criteria.Table()) }

// codec reads and writes configs.
var codec = sync.OnceValue(func() *keys.Codec { return keys.New(parts()...) })

// Key describes a key, for help, schemas and the documentation.
type Key struct {
	Path  string   // such as train.epochs; a key inside a list has no index: energy.f.lambda
	Doc   string   // what it is, and the words it takes
	Kind  string   // what it takes: section for other keys, text, number and so on
	Range string   // the interval of a number, in words; empty if every number will do
	Words []string // the words it takes; a part may take numbers and mappings too
}

// Keys returns all keys in the order of files, each after the one it stands in.
func Keys() []Key { return slices.Clone(allKeys()) }

// allKeys are the keys of a Config, found once.
var allKeys = sync.OnceValue(func() (all []Key) {
	for _, k := range codec().Keys(reflect.TypeFor[Config](), "") {
		all = append(all, Key(k))
	}
	return all
})

// meant returns a key that has the given one as its last word.
func meant(typed string) string {
	for _, k := range allKeys() {
		if k.Path[strings.LastIndex(k.Path, ".")+1:] == typed {
			return k.Path
		}
	}
	return ""
}

// Schema returns the JSON Schema of configuration files (draft 2020-12), for editors. It is made from the keys: what
// it accepts, Load accepts too but for values that depend on each other, such as the keys of an edge term on the
// term.
func Schema() []byte {
	root := codec().Schema(reflect.TypeFor[Config]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "bloom"
	root["description"] = "A training run of bloom."
	recipes := root["properties"].(keys.Object)["recipe"].(keys.Object)
	delete(recipes, "type")
	recipes["enum"] = Names()
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("config: " + err.Error()) // texts and numbers can be written
	}
	return append(text, '\n')
}
