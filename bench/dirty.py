"""Writes the dirty tables of three invented companies into the current folder (docs/results.md, Dirty tables):

carriers.csv, loads.csv        a freight broker
patients.jsonl                 a clinic, whose patients share doctors and phones
members.txt, tickets/          a cinema chain: UTF-16, and two packed parts with different columns

    bloom data import --nodes carriers.csv --edges loads.csv --label Blacklisted --out freight.bloom
    bloom data import --nodes patients.jsonl --connect gp,phone --label readmitted --out clinic.bloom
    bloom data import --nodes members.txt --edges tickets --label churned --out cinema.bloom
"""
import gzip, json, os, random

random.seed(77)
R = random
# freight: carriers.csv ; latin1 pieces, money, two dates, ids; loads.csv with lane cols
carr=['C-%04d'%i for i in range(600)]
late={c:R.random()<.2 for c in carr}
with open('carriers.csv','wb') as f:
    f.write('Carrier No;Name;Fleet;Rating;Insured until;Home;On-time %;Blacklisted\r\n'.encode())
    for i,c in enumerate(carr):
        cid=c if i%7 else c.lower()
        fleet=R.choice(['%d trucks'%R.randrange(1,80),'%d'%R.randrange(1,80),'n/a'])
        d='%02d.%02d.2025'%(R.randrange(1,29),R.randrange(1,13)) if R.random()<.6 else '2025-%02d-%02d'%(R.randrange(1,13),R.randrange(1,29))
        home=R.choice(['Köln','Koeln','Köln ','Berlin','berlin','Paris','Lyon'])
        ot='%.1f %%'%(99-30*late[c]*R.random()-5*R.random())
        lab=('ja' if late[c] else 'nein') if R.random()<.7 else ''
        line='%s;%s GmbH;%s;%d/5;%s;%s;%s;%s\r\n'%(cid,'Spedition %d'%i,fleet,R.randrange(1,6),d,home,ot.replace('.',','),lab)
        f.write(line.encode('latin-1' if i%11==0 else 'utf-8'))
        if i%150==0: f.write(line.encode('utf-8'))
    f.write('Summe;;;;;;;\r\n'.encode())
with open('loads.csv','w') as f:
    f.write('Load,Booked,Carrier,Shipper,Rate,Miles,Delivered,Status\n')
    for i in range(6000):
        c=R.choice(carr); 
        cc=R.choice([c,c,c.replace('-',' '),' '+c]) if i%9==0 else c
        if i%80==0: cc='unknown'
        b='%02d/%02d/2024 %02d:%02d'%(R.randrange(1,13),R.randrange(1,29),R.randrange(24),R.randrange(60))
        f.write('L%05d,%s,%s,%s,"$%s",%s,%s,%s\n'%(i,b,cc,'SH%02d'%R.randrange(40),format(R.randrange(300,9000),','),R.choice(['%d mi'%R.randrange(50,2500),'%d km'%R.randrange(50,2500)]),'' if R.random()<.05 else '2024-%02d-%02d'%(R.randrange(1,13),R.randrange(1,29)),R.choice(['delivered','Delivered','cancelled','DELIVERED'])))
# clinic: patients in xlsx-like jsonl w/ nested, referrals parquet? use jsonl
with open('patients.jsonl','w') as f:
    for i in range(500):
        o={'patient':{'mrn':'%06d'%(i*7),'dob':'19%02d-%02d-%02d'%(R.randrange(30,99),R.randrange(1,13),R.randrange(1,29))},'gp':R.choice(['Dr. Ito','dr ito','Dr. Roy','unknown','Dr. Lee','Dr. Kay']),'phone':R.choice(['+44 20 79%d'%R.randrange(100,140),'02079%d'%R.randrange(100,140),'000']),'bmi':R.choice([round(R.gauss(26,4),1),'-']),'readmitted':R.choice(['Y','N','N','N',None])}
        f.write(json.dumps(o)+'\n')
    f.write('{"patient": \n')

R = random.Random(5)
m=['M%05d'%(i*3) for i in range(400)]
with open('members.txt','wb') as f:
    t='member_id\tjoined\tspend total\tage\ttier\tchurned\tchurn date\n'
    for x in m:
        ch=R.random()<.3
        t+='%s\t%s\t%s\t%s\t%s\t%s\t%s\n'%(x,R.choice(['%d %s %d'%(R.randrange(1,29),R.choice(['Jan','Mär','May','Oct']),R.randrange(2018,2024)),'2021-%02d-%02d'%(R.randrange(1,13),R.randrange(1,29))]),R.choice(['USD %d'%R.randrange(5,900),'(%d.50)'%R.randrange(1,9),"1'2%02d.10"%R.randrange(99)]),R.choice([str(R.randrange(16,90)),'-1','unknown']),R.choice(['gold','Gold','GOLD','silver','bronze','bronce']),'yes' if ch else R.choice(['no','']) , '2024-0%d-11'%R.randrange(1,9) if ch else '')
    f.write(b'\xff\xfe'+t.encode('utf-16-le'))
os.makedirs('tickets',exist_ok=True)
for k in range(2):
    with gzip.open('tickets/part-%d.csv.gz'%k,'wt') as f:
        f.write('when,buyer,film,seats,price'+(',note' if k else '')+'\n')
        for i in range(1500):
            b=R.choice(m); b=b.lower() if R.random()<.3 else b.replace('M','M-') if R.random()<.2 else b
            f.write('%d,%s,film %d,%s,%s'%(1700000000+R.randrange(10**7),b,R.randrange(60),R.choice(['1','2','2 seats']),R.choice(['9.90 €','€12','12,50 €']))+(',x' if k else '')+'\n')
