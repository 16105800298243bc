// Package dataset brings in what people have: benchmark files as they were published, a user's own
// tables, and graphs that are generated. Ids are strings from the file to the prediction.
//
//	d, err := dataset.Open("cora")            // a catalogue name, a file or a folder
//	d.Graph.NumNodes(), d.Features[0].Cols, d.Labels.Names, d.Splits[0].Train
//
// A Dataset is plain data on the host. Package train carries it to a Device.
package dataset
