package keys

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/part"
)

// group is a mapping that describes a part, with parts inside it.
type group struct {
	path   string
	values map[string]*yaml.Node
	used   map[string]bool
	names  map[string]string // which part of a kind there is: "huber" of "penalty"
}

func (d *Decoder) part(n *yaml.Node, t part.Table, path string) any {
	if n.Kind == yaml.ScalarNode && t.Key == "" {
		return d.word(n, t, &group{path: path})
	}
	if n.Kind != yaml.MappingNode {
		d.fail(n, "%s: want %s", path, d.forms(t))
		return nil
	}
	g := &group{path, d.mapping(n), map[string]bool{}, map[string]string{}}
	p, own, ok := d.which(n, t, g)
	if !ok {
		return nil
	}
	g.used[t.Key], g.used[p.Name] = true, true
	x := d.fill(p, t, g, own)
	for i := 0; i < len(n.Content) && d.err == nil; i += 2 {
		if key := n.Content[i]; !g.used[key.Value] {
			d.stray(key, p, t, g)
		}
	}
	return x
}

// which returns the part that a mapping describes, and the value of its name if that is a key.
func (d *Decoder) which(n *yaml.Node, t part.Table, g *group) (p part.Part[any], own *yaml.Node, ok bool) {
	if t.Key != "" {
		name := g.values[t.Key]
		if name == nil {
			d.unknown(n, t)
			d.fail(n, "there is no key %q to say which %s it is", t.Key, t.Name)
			return p, nil, false
		}
		p, ok = d.named(follow(name), t)
		return p, nil, ok
	}
	var found []part.Part[any]
	var names []string
	for _, p := range t.Parts {
		if !d.needs(p) || p.Name == "" {
			continue
		}
		if names = append(names, p.Name); g.values[p.Name] != nil {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		d.unknown(n, t)
		d.fail(n, "want one of the keys %s", strings.Join(names, ", "))
		return p, nil, false
	}
	return found[0], follow(g.values[found[0].Name]), true
}

// named returns the part whose name is at n.
func (d *Decoder) named(n *yaml.Node, t part.Table) (part.Part[any], bool) {
	i := slices.IndexFunc(t.Parts, func(p part.Part[any]) bool { return p.Name == n.Value })
	if n.Kind != yaml.ScalarNode || i < 0 {
		d.fail(n, "unknown %s %q%s", t.Name, n.Value, choose(n.Value, t.Names()))
		return part.Part[any]{}, false
	}
	return t.Parts[i], true
}

// choose proposes the nearest of several names, or lists them.
func choose(typed string, known []string) string {
	if text := Suggest(typed, known, ""); text != "" {
		return text
	}
	return "; known are " + strings.Join(slices.DeleteFunc(known, func(s string) bool { return s == "" }), ", ")
}

// word returns the part that a scalar names, with its default values, or the number itself if numbers are parts.
func (d *Decoder) word(n *yaml.Node, t part.Table, g *group) any {
	number := slices.IndexFunc(t.Parts, func(p part.Part[any]) bool { return p.Name == "" })
	if number >= 0 && n.Tag != "!!str" && !slices.Contains(t.Names(), n.Value) {
		return d.fill(t.Parts[number], t, g, n)
	}
	p, ok := d.named(n, t)
	if !ok {
		return nil
	}
	return d.fill(p, t, g, nil)
}

// fill returns p with the keys in g; own is the value of its name.
func (d *Decoder) fill(p part.Part[any], t part.Table, g *group, own *yaml.Node) any {
	if g.names != nil {
		g.names[t.Name] = p.Name
	}
	if p.New == nil {
		return nil
	}
	v := reflect.New(reflect.TypeOf(p.New)).Elem()
	v.Set(reflect.ValueOf(p.New))
	d.fields(v, p, t, g, own)
	if d.err != nil {
		return nil
	}
	if p.Make != nil {
		v = reflect.ValueOf(p.Make(v.Interface()))
	}
	last := own
	if own != nil && len(own.Content) > 0 {
		last = own.Content[len(own.Content)-1]
	}
	d.valid(last, v.Interface())
	return v.Interface()
}

func (d *Decoder) fields(v reflect.Value, p part.Part[any], t part.Table, g *group, own *yaml.Node) {
	keys := d.keys(p)
	several := len(d.own(p))
	if several > 1 && own != nil && (own.Kind != yaml.SequenceNode || len(own.Content) != several) {
		d.fail(own, "%s needs %d numbers: %s", p.Name, several, d.Form(p, t))
		return
	}
	for i, f := range keys {
		to := v
		if v.Kind() == reflect.Struct {
			to = v.FieldByIndex(f.Index)
		}
		switch {
		case f.Key == Inline:
			d.set(to, d.fill(part.Part[any]{Name: p.Name, New: to.Interface()}, t, g, own))
		case f.Key == Own && several > 1:
			if own != nil {
				d.value(follow(own.Content[i]), to, f, g.path+"."+p.Name)
			}
		case f.Key == Own:
			d.inside(own, to, f, g, strings.TrimSuffix(g.path+"."+p.Name, "."))
		default:
			if g.used != nil {
				g.used[f.Key] = true
			}
			d.inside(g.values[f.Key], to, f, g, g.path+"."+f.Key)
		}
	}
}

// inside fills a field that may be a part whose keys are in g; n is nil if its key is absent.
func (d *Decoder) inside(n *yaml.Node, to reflect.Value, f Field, g *group, path string) {
	t, isPart := d.table(to.Type())
	switch {
	case n == nil && isPart:
		if i := d.find(t, to.Interface()); i >= 0 {
			p := t.Parts[i]
			p.New = to.Interface()
			d.set(to, d.fill(p, t, g, nil))
		}
	case n == nil:
	case isPart && follow(n).Kind == yaml.ScalarNode:
		d.set(to, d.word(follow(n), t, g))
	default:
		d.value(follow(n), to, f, path)
	}
}

// unknown reports a key that no part of the table has.
func (d *Decoder) unknown(n *yaml.Node, t part.Table) {
	all := d.allKeys(t)
	for i := 0; i < len(n.Content); i += 2 {
		if key := n.Content[i]; !slices.Contains(all, key.Value) {
			d.fail(key, "unknown key %q%s", key.Value, choose(key.Value, all))
		}
	}
}

// stray reports a key that p does not have.
func (d *Decoder) stray(key *yaml.Node, p part.Part[any], t part.Table, g *group) {
	if all := d.allKeys(t); !slices.Contains(all, key.Value) {
		d.fail(key, "unknown key %q%s", key.Value, choose(key.Value, all))
		return
	}
	for _, f := range d.keys(p) {
		if inside, ok := d.table(f.Type); ok && slices.Contains(d.allKeys(inside), key.Value) {
			d.fail(key, "%s %q has no key %q", inside.Name, g.names[inside.Name], key.Value)
			return
		}
	}
	d.fail(key, "%s %q has no key %q", t.Name, p.Name, key.Value)
}

// allKeys returns the keys of the parts of a table, including parts inside them.
func (c *Codec) allKeys(t part.Table) []string {
	keys := []string{}
	if t.Key != "" {
		keys = append(keys, t.Key)
	}
	for _, p := range t.Parts {
		if t.Key == "" && c.needs(p) && p.Name != "" {
			keys = append(keys, p.Name)
		}
		c.besides(p, func(f Field) { keys = append(keys, f.Key) })
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
