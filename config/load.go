package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/recipe"
)

// Options are the sources of a configuration. Later fields override earlier ones.
type Options struct {
	File   string   // a YAML or JSON file; empty for none
	Text   []byte   // its content; nil to read it
	Env    []string // as os.Environ; nil for none
	Set    []string // key=value, as of --set
	Recipe string   // as of --recipe; empty for none
	Task   string   // as of --task; empty for none
	Data   string   // as of --data; empty for none
	Flags  []Setting
	// Suited is what the data decides. If Suit is not nil, it is called for this choice once the names are known.
	Suited Choice
	Suit   func(Named) (Choice, error)
}

// Named holds the names that a file, variables and flags give; a name that is not given is empty.
type Named struct{ Data, Task, Recipe string }

// Choice is what the data decides unless the user sets it.
type Choice struct {
	Catalogue string // the data set whose settings apply, where data.name is a file or a folder; empty means data.name
	Task      string // empty means auto
	Recipe    string // empty means DefaultRecipe
}

// Setting is a key that a command line flag sets.
type Setting struct {
	Flag  string // as --epochs
	Key   string // as train.epochs
	Value string
}

// Load merges, from weak to strong, the defaults, the settings of the recipe for the data set, the file, the
// environment, --set and flags, and decodes the result once. Every key must be known and every value in its range; the
// error is a *files.Error, whose place is a file with line and column, a variable or a flag.
func Load(o Options) (*Config, error) {
	keys.Loads.Add(1)
	t := &tree{from: map[*yaml.Node]string{}}
	overlays := t.overlays(o)
	if t.err != nil {
		return nil, t.err
	}
	c := defaults()
	named, at := namedBy(overlays)
	if named.Data != "" {
		c.Data.Name = named.Data
	}
	if named.Data = c.Data.Name; o.Suit != nil {
		var err error
		if o.Suited, err = o.Suit(named); err != nil {
			return nil, err
		}
	}
	set := cmp.Or(o.Suited.Catalogue, c.Data.Name)
	c.Task = cmp.Or(Task(named.Task), Task(o.Suited.Task), c.Task)
	if at == nil {
		c.Recipe = o.unnamed(c.Task, set)
	} else {
		c.Recipe = named.Recipe
		if err := find(c.Recipe); err != nil {
			return nil, t.errorAt(at, err.Error())
		}
	}
	t.recipe, t.family = c.Recipe, c.Family()
	t.root = start(c, set)
	for _, over := range overlays {
		t.root = t.merge(t.root, over)
	}
	if t.err == nil && IsBaseline(c.Recipe) && get(t.root, "energy") != nil {
		t.fail(get(t.root, "energy"), "%s is a baseline, which has no energy", c.Recipe)
	}
	if t.err != nil {
		return nil, t.err
	}
	if err := t.decode(c); err != nil {
		return nil, err
	}
	return c, nil
}

// Shipped returns the shipped settings of c's recipe and task for a data set: what Load returns if only these are
// named.
func (c *Config) Shipped(set string) (*Config, error) {
	s := defaults()
	s.Recipe, s.Task, s.Data.Name = c.Recipe, cmp.Or(c.Task, s.Task), cmp.Or(c.Data.Name, s.Data.Name)
	if err := find(c.Recipe); err != nil {
		return nil, err
	}
	t := &tree{from: map[*yaml.Node]string{}, recipe: s.Recipe, family: s.Family()}
	t.root = start(s, set)
	return s, t.decode(s)
}

// decode reads the tree into c, which start has initialised.
func (t *tree) decode(c *Config) error {
	if c.Energy != nil {
		c.Energy = new(recipe.Recipe) // start has all keys
	}
	d := keys.Decoder{Codec: codec(), At: t.errorAt, Meant: meant, Refuse: func(f keys.Field, path string) string {
		if isFor(f, t.family) {
			return ""
		}
		return fmt.Sprintf("%s does not use %s, which is for %s", t.recipe, path, whose(f))
	}}
	return d.Decode(t.root, c, "")
}

// namedBy returns the names that overlays give and the node that names the recipe, or nil if none does.
func namedBy(overlays []*yaml.Node) (n Named, recipe *yaml.Node) {
	value := func(path ...string) string {
		if n := last(overlays, path...); n != nil {
			return n.Value
		}
		return ""
	}
	return Named{Data: value("data", "name"), Task: value("task"), Recipe: value("recipe")}, last(overlays, "recipe")
}

// unnamed returns the recipe for a task and a data set if the user names none.
func (o Options) unnamed(task Task, set string) string {
	if o.Suited.Recipe != "" {
		return o.Suited.Recipe
	}
	name := DefaultRecipe(set)
	if familyOf(name, task) == PairFamily {
		return "base"
	}
	return name
}

// Default returns the configuration of a recipe for a data set; empty names mean what a plain `bloom train` takes.
func Default(recipe, data string) (*Config, error) { return Load(Options{Recipe: recipe, Data: data}) }

// Recognise reports whether a text is a config rather than a bare energy: it is a mapping with a key of Config.
func Recognise(text []byte) bool {
	root, err := keys.Parse("", text)
	return err == nil && slices.ContainsFunc(keys.Fields(reflect.TypeFor[Config]()),
		func(f keys.Field) bool { return get(root, f.Key) != nil })
}

// overlays returns the overlays that the options define, from weak to strong.
func (t *tree) overlays(o Options) []*yaml.Node {
	var all []*yaml.Node
	add := func(n *yaml.Node) {
		if t.err == nil {
			all = append(all, n)
		}
	}
	if o.File != "" {
		text := o.Text
		if text == nil {
			var err error
			if text, err = files.Read(o.File); err != nil { // the file of a run folder has a checksum
				t.err = err
				return nil
			}
		}
		add(t.parse(o.File, text))
	}
	if t.err == nil {
		all = append(all, t.environment(o.Env)...)
	}
	for _, text := range o.Set {
		if t.err == nil {
			add(t.set(text))
		}
	}
	if o.Recipe != "" {
		add(t.overlay("--recipe", "recipe", o.Recipe))
	}
	if o.Task != "" {
		add(t.overlay("--task", "task", o.Task))
	}
	if o.Data != "" {
		add(t.overlay("--data", "data.name", o.Data))
	}
	for _, s := range o.Flags {
		add(t.overlay(s.Flag, s.Key, s.Value))
	}
	return all
}

// last returns the value that the strongest overlay has at a path.
func last(overlays []*yaml.Node, path ...string) (found *yaml.Node) {
	for _, n := range overlays {
		for _, key := range path {
			n = get(n, key)
		}
		if n != nil && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
			found = n
		}
	}
	return found
}

// start returns the tree that overlays go on: the defaults in c with the energy of its recipe and the settings for a
// set.
func start(c *Config, set string) *yaml.Node {
	if hasEnergy(c.Recipe) {
		c.Energy, _ = recipe.Find(c.Recipe) // find has looked before
	}
	t := &tree{root: encode(c, true)}
	for _, rule := range rulesFor(c.Recipe, c.Family() == PairFamily, set) {
		t.root = t.merge(t.root, copyNode(rule))
	}
	prune(t.root, reflect.TypeFor[Config](), c.Family())
	return t.root
}

// prune removes keys that a family does not have: the settings of recipes are for their own task.
func prune(n *yaml.Node, t reflect.Type, of Family) {
	for _, f := range keys.Fields(t) {
		switch i := index(n, f.Key); {
		case i >= 0 && !isFor(f, of):
			n.Content = slices.Delete(n.Content, i, i+2)
		case i >= 0 && f.Type.Kind() == reflect.Struct:
			prune(n.Content[i+1], f.Type, of)
		}
	}
}

// normal returns a name of a data set as rules write it.
func normal(set string) string { return strings.ReplaceAll(strings.ToLower(set), "_", "-") }

// reserved are the variables that begin like keys but are not keys.
var reserved = []string{"BLOOM_DATA", "BLOOM_CACHE", "BLOOM_THREADS", "BLOOM_MEMORY", "BLOOM_DEVICE", "BLOOM_POSTGRES"}

// overlay returns a tree with the one value at path, which came from place.
func (t *tree) overlay(place, path, value string) *yaml.Node {
	n := t.value(place, path, value)
	names := strings.Split(path, ".")
	for _, name := range slices.Backward(names) {
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}
		m := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, n}}
		t.from[key], t.from[m] = place, place
		n = m
	}
	return n
}

// value parses the value of a key: the text itself for a text key, otherwise YAML, so {ball: 2} is a mapping.
func (t *tree) value(place, path, text string) *yaml.Node {
	word := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	t.from[word] = place
	if text == "" || kindOf(path) == keys.Text {
		return word
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		t.fail(word, "cannot read the value %q", text)
		return word
	}
	budget := maxNodes
	n := t.own(place, doc.Content[0], &budget)
	forgetLines(n)
	return n
}

// forgetLines removes line numbers from a text that does not come from a file.
func forgetLines(n *yaml.Node) {
	n.Line, n.Column = 0, 0
	for _, c := range n.Content {
		forgetLines(c)
	}
}

// kindOf returns the kind of a key; it ignores list indices in the path.
func kindOf(path string) keys.Kind {
	names := slices.DeleteFunc(strings.Split(path, "."), isNumber)
	path = strings.Join(names, ".")
	for _, k := range allKeys() {
		if k.Path == path {
			return k.Kind
		}
	}
	return ""
}

// set returns the overlay of one --set.
func (t *tree) set(text string) *yaml.Node {
	path, value, ok := strings.Cut(text, "=")
	path = strings.TrimSpace(path)
	if !ok || path == "" || slices.Contains(strings.Split(path, "."), "") {
		t.err = files.Errorf("--set "+text, "want key=value, as train.epochs=200")
		return nil
	}
	return t.overlay("--set "+path, path, value)
}

// variable returns the environment variable of a key: BLOOM_TRAIN_EPOCHS for train.epochs.
func variable(path string) string {
	return "BLOOM_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(path))
}

// environment returns the overlays of BLOOM_* variables, in the order of their names. Empty variables are ignored.
func (t *tree) environment(env []string) []*yaml.Node {
	if len(env) == 0 {
		return nil
	}
	paths := map[string]string{}
	var names []string
	for _, k := range allKeys() {
		if k.Kind != keys.Section {
			paths[variable(k.Path)] = k.Path
			names = append(names, variable(k.Path))
		}
	}
	var overlays []*yaml.Node
	for _, assignment := range slices.Sorted(slices.Values(env)) {
		name, value, _ := strings.Cut(assignment, "=")
		if !strings.HasPrefix(name, "BLOOM_") || slices.Contains(reserved, name) || value == "" {
			continue
		}
		path, ok := paths[name]
		if !ok {
			text := "there is no such key"
			if near := keys.Name(strings.ToLower(name), lower(names)); near != "" {
				text += "; did you mean " + strings.ToUpper(near) + "?"
			}
			t.err = files.Errorf(name, "%s", text)
			return nil
		}
		overlays = append(overlays, t.overlay(name, path, value))
	}
	return overlays
}

func lower(names []string) []string {
	var small []string
	for _, name := range names {
		small = append(small, strings.ToLower(name))
	}
	return small
}
