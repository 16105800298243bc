// Package importer makes data sets of a user's tables, and tables of data sets.
//
//	d, report, err := importer.Run(ctx, importer.Spec{
//		Nodes: []importer.Input{{Table: "people.csv"}}, Label: "dept",
//		Edges: []importer.Input{{Table: "follows.csv"}},
//	})
//
// What a column of nodes becomes is guessed from its values, and Spec.Kinds overrules:
//
//	number     one feature, standardised, of the logarithm where there is a heavy tail: €1,234.50, 7,1 %, 44 months
//	category   a feature of 0 and 1 for each of at most 64 values, rare ones as one
//	time       dates: elapsed time, standardised; the place in the year, the week and the day as sine and cosine of an
//	           angle, where it differs. Written 2024-05-01, 1.5.2024, 05/25/2024, 1 May 2024, with or
//	           without a time behind it
//	calendar   the same without elapsed time: the guess for the column that divides rows by time
//	vector     JSON lists of numbers, all of one length, as embeddings are: the mean of every place taken away, and
//	           divided by one deviation; also the lists of Parquet files and the arrays of Spec.Embeddings
//	text       words and pairs of words, hashed, times the logarithm of how rare they are, in rows of length 1
//	skipped    constants, ids, names and whatever else teaches nothing: kept for exports
//
// A value that is missing (empty, NA, n/a, -, NaN, null, #N/A) or not of the kind of its column gives zeros, which is
// the mean where there is one. Everything that was fitted is kept in dataset.Schema, so that Newcomers and Encode
// make the same features of rows that come later.
package importer
