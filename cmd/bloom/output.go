package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/report"
	"github.com/bloomgml/bloom/internal/show"
)

// output is the destination of a command's result.
type output struct {
	path  string // empty for the standard output
	force bool
}

// flags adds --out, with the given description, and --force.
func (o *output) flags(cmd *cobra.Command, about string) {
	cmd.Flags().StringVar(&o.path, "out", "", about)
	o.forced(cmd)
}

// forced is --force alone.
func (o *output) forced(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.force, "force", false, "replace files that bloom did not write")
}

// rules says what may be replaced: files that bloom wrote, judged by their beginning, and never an input.
func (o *output) rules(ours func(head []byte) bool, inputs ...string) files.WriteOptions {
	return files.WriteOptions{Ours: ours, Force: o.force, Inputs: inputs}
}

// allow refuses a file that must not be replaced, before the work begins.
func (o *output) allow(rules files.WriteOptions) error {
	if o.path == "" {
		return nil
	}
	return rules.Allow(o.path)
}

// write calls f with the file, or with the standard output.
func (o *output) write(cmd *cobra.Command, rules files.WriteOptions, f func(io.Writer) error) error {
	if o.path == "" {
		return f(show.Data(cmd.OutOrStdout()))
	}
	return files.Write(o.path, rules, f)
}

// printFound prints what a command found: as a JSON object, or by write for people.
func printFound(cmd *cobra.Command, asJSON bool, found any, write func(io.Writer, show.Paint)) error {
	w := cmd.OutOrStdout()
	if asJSON {
		return json.NewEncoder(w).Encode(found)
	}
	write(w, show.Painter(w))
	return nil
}

// printLine prints what a command found: as a JSON object, or as a line for people.
func printLine(cmd *cobra.Command, asJSON bool, found any, line string) error {
	return printFound(cmd, asJSON, found, func(w io.Writer, _ show.Paint) { fmt.Fprintln(w, line) })
}

// printAll prints JSON objects, one a line.
func printAll[T any](cmd *cobra.Command, list []T) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	for _, x := range list {
		if err := e.Encode(x); err != nil {
			return err
		}
	}
	return nil
}

// Beginnings of the files that bloom writes. Nothing tells its tables and arrays from others.
var (
	isResult = regexp.MustCompile(`^(id(,type)?,class,probability,|id,h0[,\n]|entity,facts,rank\n|rank,entity,score,known|` +
		`head,relation,tail,tail_rank,|\{"evidence":\{"steps":|\{"h":\[|\{"id":"(\\.|[^"\\])*",("type":"(\\.|[^"\\])*",)?` +
		`"class":"(\\.|[^"\\])*","probability":|\{"entity":"(\\.|[^"\\])*","(score|facts)":)`).Match
	isPage    = beginsWith(report.Beginning)
	isData    = beginsWith("\x89bloom\r\n")
	isRejects = beginsWith("file,line,reason,row\n")
	isManual  = beginsWith(".nh\n.TH \"BLOOM")
	isCompany = regexp.MustCompile(`^(account,opened,zip,|payer,payee,amount,|fault,account,column,)`).Match
	isNone    = func([]byte) bool { return false }
)

func beginsWith(text string) func(head []byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(text)) }
}

// runFiles are the files of a run folder that say what was trained; there may be others too.
var runFiles = []string{"*.yaml", "*.json", "*.jsonl", "*.safetensors", "*/*.safetensors", "predictions.csv",
	"README.md", "events.*", "checkpoint/*", files.SumsFile}

// runInputs returns the files of a run folder and of its data.
func runInputs(dir, data string) []string {
	inputs := dataInputs(data)
	for _, pattern := range runFiles {
		names, _ := fs.Glob(os.DirFS(dir), pattern)
		for _, name := range names {
			inputs = append(inputs, filepath.Join(dir, name))
		}
	}
	return inputs
}

// dataInputs returns the files of a data set that is a file, a folder, or a set of the catalogue.
func dataInputs(name string) (inputs []string) {
	if e := catalogue.Find(name); e != nil {
		if path, _ := e.Locate(); path != "" {
			name = path
		}
	}
	_ = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			inputs = append(inputs, path)
		}
		return nil // what cannot be looked at is not an input
	})
	return inputs
}
