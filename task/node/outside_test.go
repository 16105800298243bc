package node

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/train"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Files of a run are read here by readers that are not ours. The weights have theirs in internal/outside, a module of
// its own.

// eventProto is the part of TensorFlow's event.proto and summary.proto that TensorBoard's scalars use, as protoc
// describes it.
const eventProto = `
name: "event.proto" package: "tensorflow" syntax: "proto3"
message_type {
  name: "Event"
  field { name: "wall_time" number: 1 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
  field { name: "step" number: 2 type: TYPE_INT64 label: LABEL_OPTIONAL }
  field { name: "file_version" number: 3 type: TYPE_STRING label: LABEL_OPTIONAL oneof_index: 0 }
  field { name: "graph_def" number: 4 type: TYPE_BYTES label: LABEL_OPTIONAL oneof_index: 0 }
  field { name: "summary" number: 5 type: TYPE_MESSAGE type_name: ".tensorflow.Summary" label: LABEL_OPTIONAL oneof_index: 0 }
  oneof_decl { name: "what" }
}
message_type {
  name: "Summary"
  field { name: "value" number: 1 type: TYPE_MESSAGE type_name: ".tensorflow.Summary.Value" label: LABEL_REPEATED }
  nested_type {
    name: "Value"
    field { name: "tag" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
    field { name: "simple_value" number: 2 type: TYPE_FLOAT label: LABEL_OPTIONAL oneof_index: 0 }
    field { name: "obsolete_old_style_histogram" number: 3 type: TYPE_BYTES label: LABEL_OPTIONAL oneof_index: 0 }
    field { name: "node_name" number: 7 type: TYPE_STRING label: LABEL_OPTIONAL }
    oneof_decl { name: "value" }
  }
}`

// eventType is the message Event.
func eventType(t *testing.T) protoreflect.MessageDescriptor {
	t.Helper()
	var file descriptorpb.FileDescriptorProto
	if err := prototext.Unmarshal([]byte(eventProto), &file); err != nil {
		t.Fatal(err)
	}
	d, err := protodesc.NewFile(&file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d.Messages().ByName("Event")
}

// records cuts a TFRecord file, with both checksums of every record, which are CRC-32C, rotated and shifted.
func records(t *testing.T, b []byte) (all [][]byte) {
	t.Helper()
	check := func(data []byte, stored uint32) {
		c := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
		if c = (c>>15 | c<<17) + 0xa282ead8; c != stored {
			t.Fatalf("record %d: checksum %08x, want %08x", len(all), stored, c)
		}
	}
	for len(b) > 0 {
		n := binary.LittleEndian.Uint64(b)
		check(b[:8], binary.LittleEndian.Uint32(b[8:]))
		data := b[12 : 12+n]
		check(data, binary.LittleEndian.Uint32(b[12+n:]))
		all, b = append(all, data), b[16+n:]
	}
	return all
}

// TestEventsByProtobuf decodes the events of a run with Google's protocol buffers and compares them with
// metrics.jsonl, which holds the same numbers. Bytes that the description does not know, or that protobuf would write
// in another way, fail.
func TestEventsByProtobuf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := settings(t, "base")
	c.Train.Every = 5
	trained(t, c, clusters(200), Options{Options: train.Options{Dir: dir}})
	names, _ := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*"))
	if len(names) != 1 {
		t.Fatalf("event files %v", names)
	}
	lines := strings.Split(strings.TrimSpace(string(contents(t, dir, "metrics.jsonl"))), "\n")
	all, kind := records(t, contents(t, names[0])), eventType(t)
	if len(all) != 1+len(lines) {
		t.Fatalf("%d records for %d lines", len(all), len(lines))
	}
	field := func(m protoreflect.Message, name string) protoreflect.Value {
		return m.Get(m.Descriptor().Fields().ByName(protoreflect.Name(name)))
	}
	for i, data := range all {
		e := dynamicpb.NewMessage(kind)
		if err := proto.Unmarshal(data, e); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
		if again, err := (proto.MarshalOptions{Deterministic: true}).Marshal(e); err != nil ||
			string(again) != string(data) || len(e.GetUnknown()) > 0 {
			t.Errorf("record %d: protobuf writes %x, the file has %x (%v)", i, again, data, err)
		}
		if wall := field(e, "wall_time").Float(); !(wall > 1.5e9) || math.IsInf(wall, 0) {
			t.Errorf("record %d: time %v", i, wall)
		}
		if i == 0 {
			if v := field(e, "file_version").String(); v != "brain.Event:2" {
				t.Errorf("version %q", v)
			}
			continue
		}
		var line struct {
			Epoch int64
			Loss  float64
			Valid map[string]float64
		}
		if err := json.Unmarshal([]byte(lines[i-1]), &line); err != nil {
			t.Fatal(err)
		}
		got := map[string]float32{}
		values := field(field(e, "summary").Message(), "value").List()
		for k := range values.Len() {
			v := values.Get(k).Message()
			got[field(v, "tag").String()] = float32(field(v, "simple_value").Float())
		}
		if step := field(e, "step").Int(); step != line.Epoch || got["loss/train"] != float32(line.Loss) ||
			got["metric/valid"] != float32(line.Valid["accuracy"]) {
			t.Errorf("record %d: step %d, %v; want %+v", i, step, got, line)
		}
	}
}

// TestCardByYAML reads the front matter of the model card as a model hub does.
func TestCardByYAML(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d := clusters(200)
	d.Name = `a "quoted": name`
	r := trained(t, settings(t, "base"), d, Options{Options: train.Options{Dir: dir}})
	text, ok := strings.CutPrefix(string(contents(t, dir, "README.md")), "---\n")
	front, _, closed := strings.Cut(text, "\n---\n")
	if !ok || !closed {
		t.Fatalf("no front matter in\n%s", text)
	}
	var card struct {
		Library  string   `yaml:"library_name"`
		Tags     []string `yaml:"tags"`
		Datasets []string `yaml:"datasets"`
		Metrics  []string `yaml:"metrics"`
		Index    []struct {
			Name    string `yaml:"name"`
			Results []struct {
				Task    struct{ Type string }       `yaml:"task"`
				Dataset struct{ Name, Type string } `yaml:"dataset"`
				Metrics []struct {
					Type, Name string
					Value      float64
				} `yaml:"metrics"`
			} `yaml:"results"`
		} `yaml:"model-index"`
	}
	decoder := yaml.NewDecoder(strings.NewReader(front))
	decoder.KnownFields(true)
	if err := decoder.Decode(&card); err != nil {
		t.Fatalf("%v in\n%s", err, front)
	}
	if card.Library != "bloom" || len(card.Datasets) != 1 || card.Datasets[0] != d.Name || len(card.Metrics) != 1 ||
		card.Metrics[0] != "accuracy" ||
		len(card.Index) != 1 || len(card.Index[0].Results) != 1 {
		t.Fatalf("card %+v", card)
	}
	result := card.Index[0].Results[0]
	if result.Task.Type != "node-classification" || result.Dataset.Name != d.Name || len(result.Metrics) != 1 ||
		math.Abs(result.Metrics[0].Value-r.Test.Mean) > 5e-5 {
		t.Errorf("card %+v, test %v", result, r.Test.Mean)
	}
}
