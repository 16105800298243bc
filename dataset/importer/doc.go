// Package importer makes data sets of a user's tables, and tables of data sets.
//
//	d, report, err := importer.Run(ctx, importer.Spec{
//		Nodes: []importer.Input{{Table: "people.csv"}}, Label: "dept",
//		Edges: []importer.Input{{Table: "follows.csv"}},
//	})
package importer
