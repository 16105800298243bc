// Package dataset is what models learn from: a graph, features, classes, splits and names. Ids are strings from the
// file to the prediction.
//
//	d, err := catalogue.Open("cora")          // a catalogue name, a file, a folder or a generator
//	d.Graph.NumNodes(), d.Features[0].Cols, d.Labels.Names, d.Splits[0].Train
//
// A Dataset is plain data on the host. Package node carries it to a Device. Data sets come from the packages below:
// format reads published files, importer a user's tables, native the .bloom file, generate makes some from a seed;
// catalogue opens any of them by its name, and analysis says what is in them. A Schema is what is kept of a user's
// tables: how columns became features, so that later rows become features in the same way, and the values as they came,
// so that an export gives them back.
package dataset
