// Package forget makes a run again as if some nodes, edges or labels had never been there.
//
// Overview. The data set without them (dataset.Without, importer.Refit) is written into the new run folder, and the
// model is made from it alone: solved or trained again with the settings of the old run, or moved there by Newton steps
// where ℓ_up is strongly convex and the caller accepts the bound. Nothing is copied from the old run, so that nothing
// has to be found and removed; the folder is searched for what was forgotten all the same. receipt.json says what was
// done.
package forget
