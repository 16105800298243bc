"""Writes the dirty tables of three invented companies into the current folder (docs/results.md, Dirty tables):

carriers.csv, loads.csv        a freight broker: Latin-1 pieces, two formats of dates, ids in other case
patients.jsonl                 a clinic: nested objects, doctors and phones that patients share, a line that is cut off
members.txt, tickets/          a cinema chain: UTF-16, German months, two packed parts with different columns

    bloom data import --nodes carriers.csv --edges loads.csv --label Blacklisted --out freight.bloom
    bloom data import --nodes patients.jsonl --connect gp,phone --label readmitted --out clinic.bloom
    bloom data import --nodes members.txt --edges tickets --label churned --out cinema.bloom
"""
import gzip
import json
import os
import random

R = random.Random(77)
one = R.choice


def whole(low, high):
    return R.randrange(low, high)


def iso(year):
    return f"{year}-{whole(1, 13):02d}-{whole(1, 29):02d}"


def freight():
    carriers = [f"C-{i:04d}" for i in range(600)]
    late = {c: R.random() < 0.2 for c in carriers}
    with open("carriers.csv", "wb") as f:
        f.write("Carrier No;Name;Fleet;Rating;Insured until;Home;On-time %;Blacklisted\r\n".encode())
        for i, c in enumerate(carriers):
            insured = f"{whole(1, 29):02d}.{whole(1, 13):02d}.2025" if R.random() < 0.6 else iso(2025)
            punctual = 99 - 30 * late[c] * R.random() - 5 * R.random()
            fields = [c if i % 7 else c.lower(), f"Spedition {i} GmbH", one([f"{whole(1, 80)} trucks", str(whole(1, 80)), "n/a"]),
                      f"{whole(1, 6)}/5", insured, one(["Köln", "Koeln", "Köln ", "Berlin", "berlin", "Paris", "Lyon"]),
                      f"{punctual:.1f} %".replace(".", ","), ("ja" if late[c] else "nein") if R.random() < 0.7 else ""]
            line = ";".join(fields) + "\r\n"
            f.write(line.encode("latin-1" if i % 11 == 0 else "utf-8"))
            if i % 150 == 0:
                f.write(line.encode())
        f.write("Summe;;;;;;;\r\n".encode())
    with open("loads.csv", "w") as f:
        f.write("Load,Booked,Carrier,Shipper,Rate,Miles,Delivered,Status\n")
        for i in range(6000):
            c = one(carriers)
            if i % 9 == 0:
                c = one([c, c.replace("-", " "), " " + c])
            if i % 80 == 0:
                c = "unknown"
            booked = f"{whole(1, 13):02d}/{whole(1, 29):02d}/2024 {whole(0, 24):02d}:{whole(0, 60):02d}"
            f.write(f'L{i:05d},{booked},{c},SH{whole(0, 40):02d},"${whole(300, 9000):,}",{whole(50, 2500)} {one(["mi", "km"])},'
                    f'{"" if R.random() < 0.05 else iso(2024)},{one(["delivered", "Delivered", "cancelled", "DELIVERED"])}\n')


def clinic():
    with open("patients.jsonl", "w") as f:
        for i in range(500):
            f.write(json.dumps({
                "patient": {"mrn": f"{7 * i:06d}", "dob": iso(f"19{whole(30, 99)}")},
                "gp": one(["Dr. Ito", "dr ito", "Dr. Roy", "unknown", "Dr. Lee", "Dr. Kay"]),
                "phone": one([f"+44 20 79{whole(100, 140)}", f"02079{whole(100, 140)}", "000"]),
                "bmi": one([round(R.gauss(26, 4), 1), "-"]), "readmitted": one(["Y", "N", "N", "N", None])}) + "\n")
        f.write('{"patient": \n')


def cinema():
    members = [f"M{3 * i:05d}" for i in range(400)]
    text = "member_id\tjoined\tspend total\tage\ttier\tchurned\tchurn date\n"
    for m in members:
        gone = R.random() < 0.3
        joined = one([f'{whole(1, 29)} {one(["Jan", "Mär", "May", "Okt"])} {whole(2018, 2024)}', iso(2021)])
        spent = one([f"USD {whole(5, 900)}", f"({whole(1, 9)}.50)", f"1'2{whole(0, 99):02d}.10"])
        text += "\t".join([m, joined, spent, one([str(whole(16, 90)), "-1", "unknown"]),
                           one(["gold", "Gold", "GOLD", "silver", "bronze", "bronce"]),
                           "yes" if gone else one(["no", ""]), iso(2024) if gone else ""]) + "\n"
    with open("members.txt", "wb") as f:
        f.write(b"\xff\xfe" + text.encode("utf-16-le"))
    os.makedirs("tickets", exist_ok=True)
    for part in range(2):
        with gzip.open(f"tickets/part-{part}.csv.gz", "wt") as f:
            f.write("when,buyer,film,seats,price" + ",note" * part + "\n")
            for _ in range(1500):
                m = one(members)
                m = one([m, m, m.lower(), m.replace("M", "M-")])
                f.write(f'{1700000000 + whole(0, 10**7)},{m},film {whole(0, 60)},{one(["1", "2", "2 seats"])},'
                        f'{one(["9.90 €", "€12", "12,50 €"])}' + ",x" * part + "\n")


freight()
clinic()
cinema()
