package config

// Events holds the settings for links in time.
type Events struct {
	Valid     float64 `key:"valid" range:"[0,1)" doc:"share of the events for validation: the last ones before those for testing"`
	Test      float64 `key:"test" range:"[0,1)" doc:"share of the events for testing: the last ones"`
	Batch     int     `key:"batch" range:"[1,∞)" doc:"events per batch, predicted from all events before it"`
	Negatives int     `key:"negatives" range:"[1,∞)" doc:"negatives per training event: targets that the source has not met"`
}
