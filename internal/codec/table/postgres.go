package table

import (
	"context"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bloomgml/bloom/internal/files"
)

// postgres is the result of one query on PostgreSQL. It runs in a session and a transaction that only read, by the
// extended protocol, in which the server refuses a second statement. Every value comes as text; the types of pgx are
// not needed.
type postgres struct {
	header
	conn *pgconn.PgConn
	rows *pgconn.ResultReader
	bool []bool // columns of truth values
	own  bool   // the connection ends with the table
	row  int    // of the next row, from 1
}

var _ Source = (*postgres)(nil)

const connectTimeout = 15 * time.Second

// openPostgres connects and sends the query, which follows the address after a space.
func openPostgres(name string, b *files.Budget) (Source, error) {
	address, query, _ := strings.Cut(name, " ")
	query = strings.TrimSpace(query)
	if query == "" {
		return nil, files.Errorf(redacted(address), "want a table or a query after the address: "+
			"'postgres://host/db SELECT …'")
	}
	p, err := connectPostgres(address, b)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	if isName(query) || p.hasTable(ctx, query) {
		p.name += " " + query
		query = "SELECT * FROM " + tableName(query)
	}
	if err := p.start(query); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// connectPostgres connects, and begins a transaction that reads one state of the database.
func connectPostgres(address string, b *files.Budget) (*postgres, error) {
	p := &postgres{header: header{name: redacted(address), budget: b}, row: 1, own: true}
	b.Admit(p.name, -1)
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, files.Because(p.name, err)
	}
	config.RuntimeParams["default_transaction_read_only"] = "on"
	if p.conn, err = pgconn.ConnectConfig(ctx, config); err != nil {
		lines := strings.Split(err.Error(), "\n") // one for every attempt, which are alike
		first := strings.TrimSpace(lines[min(1, len(lines)-1)])
		return nil, files.Errorf(p.name, "%s", first)
	}
	if _, err := p.conn.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").ReadAll(); err != nil {
		p.Close()
		return nil, files.Because(p.name, err)
	}
	return p, nil
}

// hasTable reports whether there is a table or a view of a name, which may have spaces.
func (p *postgres) hasTable(ctx context.Context, name string) bool {
	r := p.conn.ExecParams(ctx, "SELECT to_regclass($1) IS NOT NULL", [][]byte{[]byte(tableName(name))}, nil,
		nil, nil).Read()
	return r.Err == nil && len(r.Rows) == 1 && string(r.Rows[0][0]) == "t"
}

// redacted returns an address without its password.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "postgres://"
	}
	if q := u.Query(); q.Has("password") {
		q.Set("password", "xxxxx")
		u.RawQuery = q.Encode()
	}
	return u.Redacted()
}

// tableName quotes schema.table.
func tableName(name string) string {
	parts := strings.Split(name, ".")
	for i := range parts {
		parts[i] = quoteName(parts[i])
	}
	return strings.Join(parts, ".")
}

// boolOID is the number of the type bool in every PostgreSQL.
const boolOID = 16

// start sends the query and learns the columns.
func (p *postgres) start(query string) error {
	ctx := context.Background()
	p.rows = p.conn.ExecParams(ctx, query, nil, nil, nil, nil)
	for _, f := range p.rows.FieldDescriptions() {
		p.columns = append(p.columns, f.Name)
		p.bool = append(p.bool, f.DataTypeOID == boolOID)
	}
	if len(p.columns) == 0 {
		if _, err := p.rows.Close(); err != nil {
			return files.Because(p.name, err)
		}
		return files.Errorf(p.name, "the query returns no columns: %.60q", query)
	}
	return unique(p.name, 0, p.columns)
}

func (p *postgres) Next(b *Batch) error {
	b.reset(&p.header, p.row)
	for !b.full() && p.rows.NextRow() {
		values := p.rows.Values()
		err := b.appendRow(int32(b.Rows()), func(dst []byte, j int) ([]byte, error) {
			if v := values[j]; p.bool[j] && len(v) == 1 {
				return append(dst, map[byte]string{'t': "true", 'f': "false"}[v[0]]...), nil
			}
			return appendText(dst, values[j])
		})
		if err != nil {
			return err
		}
		p.row++
	}
	if b.Rows() > 0 {
		return nil
	}
	if _, err := p.rows.Close(); err != nil {
		return files.Because(p.name, err)
	}
	return io.EOF
}

// Progress returns 0: the number of rows is unknown before they are read.
func (p *postgres) Progress() (done, total int64) { return 0, 0 }

// Close ends the transaction and the connection, or of a table of an open database only the query.
func (p *postgres) Close() error {
	if !p.own {
		_, err := p.rows.Close()
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	return p.conn.Close(ctx)
}
