package relational_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/bloomgml/bloom/dataset/relational"
)

// A folder of tables becomes a database. A question in words becomes rows with what was known at their time.
func Example() {
	dir, err := os.MkdirTemp("", "shop")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	write(dir, "customers", "id,city\nann,Rome\nbob,Oslo\n")
	write(dir, "orders", "id,customer_id,created,amount\n1,ann,2024-01-03,20\n2,ann,2024-02-01,30\n"+
		"3,bob,2024-01-05,7\n4,ann,2024-03-04,10\n")
	db, err := relational.Read(context.Background(), dir, relational.Options{})
	if err != nil {
		log.Fatal(err)
	}
	stored, err := db.Dataset("shop") // what a .bloom file holds
	if err != nil {
		log.Fatal(err)
	}
	if db, err = relational.FromDataset(stored); err != nil {
		log.Fatal(err)
	}
	every, err := relational.ParseWindow("30d")
	if err != nil {
		log.Fatal(err)
	}
	ask, err := db.ParseAsk("customers: no row in orders within 30 days", every)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.Write(context.Background(), ask, "shop.bloom", dir); err != nil { // what a run folder holds
		log.Fatal(err)
	}
	record, err := relational.OpenRecord(dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(record.Table, record.Horizon)
	rows := db.Rows(ask)
	for _, q := range rows.Questions {
		fmt.Println(q.Entity, q.At.Format(time.DateOnly), q.Label)
	}
	// Output:
	// customers 720h0m0s
	// ann 2024-01-04 no
	// ann 2024-02-03 no
	// bob 2024-02-03 yes
}

func write(dir, table, text string) {
	if err := os.WriteFile(filepath.Join(dir, table+".csv"), []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
}
