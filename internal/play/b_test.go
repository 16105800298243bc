package play
import ("testing";"encoding/json";"math/rand/v2")
func BenchmarkOpen(b *testing.B){
 d:=Drawing{Classes:2,Energy:json.RawMessage(`{"f":{"term":"compat"},"kappa":{"anchor":"huber"}}`)}
 for v:=range 30 { c:=int32(0); if v%5==0 {c=int32(1+v/15)}; d.Nodes=append(d.Nodes,Node{float64(v/15)*4-2+rand.Float64(),rand.Float64()*2,c}); d.Edges=append(d.Edges,[2]int32{int32(v),int32(v/15*15+rand.IntN(15))})}
 for range b.N { s,_:=Open(d,nil); a,_:=s.Answer(); json.Marshal(a) }
}
