// Package relational answers questions about rows of a database at a time: tables with primary and foreign keys, where
// rows become known at their time.
//
//	db, err := relational.Read(ctx, "shop.db", relational.Options{})     // or a folder of tables, or postgres://…
//	ask, err := db.ParseAsk("customers: no row in orders within 30 days")
//	rows, err := db.Rows(ask)                                            // a row for every question, with columns
//
// Rows of tables are nodes, and foreign keys are edges. A question is (entity, time, label). Its columns are what the
// database knew at that time: the entity's own row, statistics of the rows that lead to it by one key or two, the same
// of its latest parents, and earlier labels. Nothing later than the time of a question enters its columns.
package relational
