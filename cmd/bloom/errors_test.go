package main

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// mistakes are command lines that fail, with what they end with, in a folder that mistaken has filled. A line that
// begins with # is a heading of the snapshot.
var mistakes = []struct {
	line string
	code int
}{
	{"# train: what is asked for", 0},
	{"trian", exitUsage},
	{"train one.yaml two.yaml", exitUsage},
	{"train absent.yaml", exitData},
	{"train folder", exitData},
	{"train key.yaml", exitData},
	{"train value.yaml", exitData},
	{"train range.yaml", exitData},
	{"train text.yaml", exitData},
	{"train baseline.yaml", exitData},
	{"train --recipe robst", exitUsage},
	{"train --recipe transformer", exitUsage},
	{"train --set train.epochs", exitUsage},
	{"train --set train.epoch=3", exitUsage},
	{"train --set train.epochs=many", exitUsage},
	{"train --set train.epochs=-1", exitUsage},
	{"train --set train.optimizer=adm", exitUsage},
	{"train --set energy.f.lamda=1", exitUsage},
	{"train --set energy.eta=positive", exitUsage},
	{"train --set =3", exitUsage},
	{"train --recipe gcn --set energy.steps=3", exitUsage},
	{"train --seed -1", exitUsage},
	{"train --repeat 0 --data karate", exitUsage},
	{"train --sed 1", exitUsage},
	{"train --device gpu", exitUsage},
	{"train --device cuda:one", exitUsage},
	{"# train: what it is asked to learn from", 0},
	{"train --data karat", exitUsage},
	{"train --data cora", exitData},
	{"train --data absent.bloom", exitData},
	{"train --data people.csv", exitData},
	{"train --data broken.bloom", exitData},
	{"train --data csbm:node=3", exitUsage},
	{"train --data csbm:nodes=few", exitUsage},
	{"train --data karate --split 99", exitData},
	{"train --data karate --corrupt rows=2", exitUsage},
	{"train --data karate --corrupt row=0.2", exitUsage},
	{"train --data karate --set train.metric=roc_auc --set data.scale=none --set model.before=0 --set model.after=0",
		exitUsage},
	{"train --data karate --set train.metric=rmse", exitUsage},
	{"train --data karate --set train.class_weight={other:2}", exitUsage},
	{"train --data karate --set train.class_weight=0", exitUsage},
	{"# train: where it is kept", 0},
	{"train --data karate --out run", exitFailed},
	{"train --data karate --out people.csv/run", exitFailed},
	{"train --resume run --seed 3", exitUsage},
	{"train --resume run --data csbm", exitData},
	{"train --resume absent", exitData},
	{"train --resume torn", exitData},
	{"# estimate", 0},
	{"estimate one.yaml two.yaml", exitUsage},
	{"estimate --data karat", exitUsage},
	{"estimate --recipe robst", exitUsage},
	{"# run folders", 0},
	{"predict", exitUsage},
	{"predict run gcn", exitUsage},
	{"predict absent", exitData},
	{"predict folder", exitData},
	{"predict unread", exitData},
	{"predict cut", exitData},
	{"predict headless", exitData},
	{"predict changed", exitData},
	{"predict other", exitData},
	{"predict moved", exitData},
	{"predict run --node 99", exitUsage},
	{"predict run --out absent/predictions.csv", exitFailed},
	{"embed", exitUsage},
	{"embed absent", exitData},
	{"embed run --out absent/h.npy", exitFailed},
	{"explain", exitUsage},
	{"explain run", exitUsage},
	{"explain run --node 99", exitUsage},
	{"explain gcn --node 3 --level 2", exitUsage},
	{"explain run --node 3 --label clas1", exitUsage},
	{"explain run --node 3 --level 2", exitUsage},
	{"explain run --node 3 --level -1", exitUsage},
	{"explain run --nod 3", exitUsage},
	{"certify", exitUsage},
	{"certify absent", exitData},
	{"certify run --node 99", exitUsage},
	{"certify run --budget -1", exitUsage},
	{"certify run --total -1", exitUsage},
	{"certify run --edges some", exitUsage},
	{"certify gcn", exitUsage},
	{"explain run --node 3 --influence --label clas1", exitUsage},
	{"explain run --node 3 --influence --level 1", exitUsage},
	{"explain kin --head ann --relation parent_of --tail bob --influence", exitUsage},
	{"audit", exitUsage},
	{"audit absent", exitData},
	{"audit run --top many", exitUsage},
	{"audit run --top -1", exitUsage},
	{"add run", exitUsage},
	{"add run --nodes absent.csv", exitData},
	{"add run --nodes people.csv", exitData},
	{"forget", exitUsage},
	{"forget absent --nodes people.csv --out new", exitData},
	{"forget run --out new", exitUsage},
	{"forget run --nodes people.csv", exitUsage},
	{"forget run --nodes people.csv --out run", exitUsage},
	{"forget run --nodes absent.csv --out new", exitData},
	{"forget run --nodes people.csv --out new", exitData},
	{"forget run --nodes people.csv --out new --tolerance -1", exitUsage},
	{"what-if run", exitUsage},
	{"what-if run --edits absent.json", exitData},
	{"what-if run --edits people.csv", exitData},
	{"what-if run --edits edits.json", exitData},
	{"what-if run --edits moved.json --node 99", exitUsage},
	{"what-if kin --edits moved.json", exitUsage},
	{"report", exitUsage},
	{"report folder", exitData},
	{"report run --node 99", exitUsage},
	{"report run gcn --node 3", exitUsage},
	{"report mine", exitData},
	{"report own", exitData},
	{"predict run --out people.csv", exitData},
	{"predict run --out run/model.safetensors --force", exitData},
	{"predict run --out folder", exitData},
	{"# knowledge graphs", 0},
	{"train --data karate --recipe distmult", exitData},
	{"train --data family:families=2 --recipe base", exitData},
	{"train --data family:families=2 --recipe distmul", exitUsage},
	{"train --data family:families=2 --set link.agregate=pna", exitUsage},
	{"train --data family:families=2 --set link.aggregate=mean", exitUsage},
	{"train --data family:families=2 --set model.before=2", exitUsage},
	{"train --data family:families=2 --corrupt rows=0.2", exitUsage},
	{"train --data family:families=2 --recipe distmult --set link.message=transe", exitUsage},
	{"train --data family:families=2 --recipe complex --set model.hidden=7 --out odd", exitUsage},
	{"train --data alone --recipe distmult", exitData},
	{"train --data alone", exitData},
	{"train --resume kin --seed 3", exitUsage},
	{"train --resume kintorn", exitData},
	{"estimate --data family:families=2 --recipe base", exitData},
	{"estimate --data karate --recipe path", exitData},
	{"estimate --data family:families=2 --recipe complex --set model.hidden=7", exitUsage},
	{"predict kin --head nobody", exitUsage},
	{"predict kin --head Nobody --relation parent_of", exitUsage},
	{"predict kin --head ann --relation parnt_of", exitUsage},
	{"predict kin --head an --relation parent_of", exitUsage},
	{"predict kin --head ann --tail bob --relation parent_of", exitData},
	{"predict kin --head ann --relation parent_of --coverage 0.9", exitData},
	{"predict kin --coverage 0.9", exitUsage},
	{"predict kin --head ann --relation parent_of --top 0", exitUsage},
	{"predict kin --node ann --relation parent_of", exitUsage},
	{"predict kin --node nobody", exitUsage},
	{"predict kin --node ann --top 0", exitUsage},
	{"predict run --head ann --relation parent_of", exitUsage},
	{"predict kinless --head ann --relation parent_of", exitData},
	{"add kin", exitUsage},
	{"add kin --nodes people.csv", exitUsage},
	{"add kin --triples absent.tsv", exitData},
	{"add kin --triples people.csv", exitData},
	{"add kin --triples new.tsv --save run", exitFailed},
	{"add kin --triples typo.tsv", exitData},
	{"add kin --triples new.tsv --steps 0", exitUsage},
	{"add run --triples new.tsv", exitUsage},
	{"certify kin", exitUsage},
	{"audit kin --sample -1", exitUsage},
	{"audit kin --top -1", exitUsage},
	{"audit run --sample 5", exitUsage},
	{"audit kinless", exitData},
	{"explain kin --node ann", exitUsage},
	{"explain kin", exitUsage},
	{"explain kin --head ann --tail bob", exitUsage},
	{"explain kin --head ann --relation parent_of --tail bo", exitUsage},
	{"explain kin --head ann --relation parnt_of --tail bob", exitUsage},
	{"explain kin --head ann --relation parent_of --tail bob --top -1", exitUsage},
	{"explain run --head ann --relation parent_of --tail bob", exitUsage},
	{"report kin run", exitUsage},
	{"report kin --node ann", exitUsage},
	{"tune --data family:families=2 --recipe path --space heterophily", exitData},
	{"tune --data kin.txt --space rate.yaml", exitData},
	{"# search", 0},
	{"tune one.yaml two.yaml", exitUsage},
	{"tune --trials 0", exitUsage},
	{"tune --sampler tp", exitUsage},
	{"tune --pruner no", exitUsage},
	{"tune --space nowhere --data karate", exitUsage},
	{"paper run noise --jobs 3", exitUsage},
	{"# recipes, configs, energies", 0},
	{"recipe show", exitUsage},
	{"recipe show robst", exitUsage},
	{"config check key.yaml", exitData},
	{"config show --set train.epoch=3", exitUsage},
	{"energy robst", exitUsage},
	{"# data", 0},
	{"data get coar", exitUsage},
	{"data info absent.bloom", exitData},
	{"data info broken.bloom", exitData},
	{"data export karate", exitUsage},
	{"data export karate out --to xml", exitUsage},
	{"data blocks karate", exitUsage},
	{"data blocks karat x.bloom", exitUsage},
	{"data blocks rmat:nodes=7 x.bloom", exitUsage},
	{"data blocks planted:node=7 x.bloom", exitUsage},
	{"data blocks karate folder", exitData},
	{"data blocks karate x.bloom --order ldq", exitUsage},
	{"data blocks family:families=2 x.bloom", exitData},
	{"data blocks --edges absent.csv x.bloom", exitData},
	{"data generate company", exitUsage},
	{"data generate compny tables", exitUsage},
	{"data generate company:acounts=3 tables", exitUsage},
	{"data import --edges absent.csv --out x.bloom", exitData},
	{"data import people.csv", exitUsage},
	{"data import people.csv --out x.bloom", exitData},
	{"data import people.csv --label dept --out x.bloom", exitUsage},
	{"data import --nodes people.csv --edges follows.csv --directed --undirected --out x.bloom", exitUsage},
	{"# completion and manual", 0},
	{"completion", exitUsage},
	{"completion bsh", exitUsage},
	{"man", exitUsage},
	{"man people.csv", exitFailed},
	{"bench cora/nothing", exitUsage},
	{"bench --epochs -3", exitUsage},
}

// TestMistakes compares what is said about every mistake with one snapshot, which reads as a list of all of them.
func TestMistakes(t *testing.T) {
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("BLOOM_DATA", "no-data")
	t.Setenv("BLOOM_CACHE", "no-cache")
	t.Chdir(t.TempDir())
	mistaken(t)
	var all strings.Builder
	for _, m := range mistakes {
		if strings.HasPrefix(m.line, "#") {
			fmt.Fprintf(&all, "\n%s\n\n", m.line)
			continue
		}
		stdout, stderr, code := bloom(t, strings.Fields(m.line)...)
		if code != m.code {
			t.Errorf("bloom %s: exit %d, want %d\n%s", m.line, code, m.code, stderr)
		}
		if stdout != "" {
			t.Errorf("bloom %s: a mistake, and yet there is a result: %q", m.line, stdout)
		}
		fmt.Fprintf(&all, "$ bloom %s\n%s-- exit %d\n", m.line, settled(stderr), code)
	}
	t.Chdir(home)
	snapshot(t, "mistakes", all.String())
}

// unsettled is what differs between machines: how a system words its errors, and how many bytes a number has.
var unsettled = regexp.MustCompile(`no such file or directory|The system cannot find the (file|path) specified\.?|not a directory|bytes \d+ to \d+, and byte \d+ of \d+ comes next`)

func settled(text string) string {
	text = strings.ReplaceAll(text, "\\", "/")
	return unsettled.ReplaceAllString(text, "(…)")
}

// mistaken fills the working directory: a good run, a run of a baseline, and what is left of runs and files that were
// not treated well.
func mistaken(t *testing.T) {
	t.Helper()
	write(t, "kin.txt", []byte("ann\tparent_of\tbob\nbob\tparent_of\tcat\nann\tspouse_of\tdan\n"))
	write(t, "rate.yaml", []byte("train.rate: {float: [0.001, 0.1]}\n"))
	write(t, "alone/train.txt", []byte("ann\tknows\tann\n"))
	write(t, "new.tsv", []byte("eva\tspouse_of\tbob\n"))
	write(t, "typo.tsv", []byte("eva\tspose_of\tbob\n"))
	for _, line := range []string{
		"train --data karate --recipe base --out run --set train.epochs=3",
		"train --data karate --recipe gcn --out gcn --set train.epochs=3",
		"train --data kin.txt --recipe distmult --out kin --set train.epochs=2",
	} {
		if _, stderr, code := bloom(t, strings.Fields(line)...); code != exitDone {
			t.Fatalf("%s: exit %d, %s", line, code, stderr)
		}
	}
	for name, text := range map[string]string{
		"edits.json": "{\"edits\": [\n{\"remove_edge\": [\"9\", \"1\"]},\n{\"add_edge\": [\"9\", \"77\"]}]}\n",
		"moved.json": "{\"remove_edge\": [\"9\", \"1\"]}\n",
		"people.csv": "id,age,dept\nann,30,ops\nbob,40,dev\ncat,,dev\n", "follows.csv": "from,to\nann,bob\nbob,cat\n",
		"key.yaml": "recipe: base\ntrain:\n  epoch: 3\n", "value.yaml": "recipe: base\ntrain:\n  epochs: many\n",
		"range.yaml": "model:\n  dropout: 1.5\n",
		"text.yaml":  "recipe: [base\n", "baseline.yaml": "recipe: gcn\nenergy:\n  steps: 3\n", "broken.bloom": "BLOOM",
		"folder/notes.txt": "nothing\n",
	} {
		write(t, name, []byte(text))
	}
	model, err := os.ReadFile(filepath.Join("run", "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	ownModels(t)
	write(t, "kinless/config.yaml", []byte("recipe: distmult\ndata:\n  name: kin.txt\n"))
	for _, dir := range []string{"unread", "cut", "headless", "other", "moved", "torn", "changed"} {
		if err := os.CopyFS(dir, os.DirFS("run")); err != nil {
			t.Fatal(err)
		}
		if dir == "changed" {
			continue
		}
		if err := os.Remove(filepath.Join(dir, files.SumsFile)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "changed/model.safetensors", append(slices.Clone(model[:len(model)-1]), model[len(model)-1]^4))
	write(t, "unread/config.yaml", []byte("recipe: [base\n"))
	write(t, "cut/model.safetensors", model[:len(model)/2])
	write(t, "headless/model.safetensors", []byte("weights"))
	write(t, "other/config.yaml", []byte("recipe: base\ndata:\n  name: karate\nmodel:\n  hidden: 8\n"))
	write(t, "moved/config.yaml", []byte("recipe: base\ndata:\n  name: gone.bloom\n"))
	write(t, "kintorn/config.yaml", []byte("recipe: distmult\ndata:\n  name: kin.txt\n"))
	write(t, "kintorn/checkpoint/last.safetensors", []byte("half a che"))
	write(t, "torn/checkpoint/last.safetensors", []byte("half a che"))
}

// ownModels are folders of runs whose models were written in Go, by their name and by their weights.
func ownModels(t *testing.T) {
	t.Helper()
	config, err := os.ReadFile(filepath.Join("run", "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, "mine/config.yaml", []byte(strings.Replace(string(config), "recipe: base", "recipe: mine", 1)))
	write(t, "own/config.yaml", config)
	header := `{"__metadata__":{"format":"bloom model","version":"1","model":"own"}}`
	write(t, "own/model.safetensors", append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...))
	for _, dir := range []string{"mine", "own"} {
		write(t, dir+"/result.json", []byte("{}"))
		write(t, dir+"/metrics.jsonl", nil)
	}
}

// write writes a file and the folders it is in.
func write(t *testing.T, name string, text []byte) {
	t.Helper()
	name = filepath.FromSlash(name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, fs.FileMode(0o666)); err != nil {
		t.Fatal(err)
	}
}
