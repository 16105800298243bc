"""How far a network gets on tgbl-wiki if nothing is learnt within a batch of 200. It scores all pages for a question by what is known
when the batch starts (times, counts, decayed counts and ranks of pairs, users and pages), and adds a GRU over the last 16 pages of the
user with trained vectors; cross-entropy against all pages. Every epoch prints the MRR of the three parts; validation chooses the epoch.
python3 events_network.py SEED wikipedia.txt EPOCHS    (needs PyTorch; seconds an epoch on a GPU)"""
import sys, time
import numpy as np, torch
from torch import nn
from torch.nn.functional import cross_entropy, dropout

torch.manual_seed(int(sys.argv[1]))
device = "cuda" if torch.cuda.is_available() else "cpu"
events, epochs = np.loadtxt(sys.argv[2]), int(sys.argv[3])
source, target, when = events[:, 0].astype(int), events[:, 1].astype(int), events[:, 2]
source -= source.min(); target -= target.min()
count, users, pages, trained, validated = len(events), source.max() + 1, target.max() + 1, 110232, 110232 + 23621
period, recent = when[trained - 1], 16
lives = torch.tensor([1e-3, 1e-2, 1e-1], device=device) * period
number = lambda x, kind=torch.float32: torch.tensor(x, dtype=kind, device=device)
ago = lambda x: torch.log1p(x.clamp(min=0) * (1e6 / period))
logarithm = lambda x: torch.log(x + 1e-3)

# After every event: does the user stay with a page, meet new ones, for how many events in a row; do users stay with the page.
stays, news, run, kept, first = (np.zeros(count) for _ in range(5))
state, met, keeps = {}, set(), np.full(pages, .5)
for i, (u, p) in enumerate(zip(source, target)):
    first[i] = (u, p) not in met
    met.add((u, p))
    if u in state:
        last, a, b, n = state[u]
        same = float(last == p)
        keeps[last] += .05 * (same - keeps[last])
        state[u] = p, a + .2 * (same - a), b + .2 * (first[i] - b), n + 1 if same else 1
    else:
        state[u] = p, .5, .5, 1
    _, stays[i], news[i], run[i] = state[u]
    kept[i] = keeps[p]
S, D, T = number(source, torch.long), number(target, torch.long), number(when, torch.float64)
stays, news, run, kept, first = map(number, (stays, news, run, kept, first))

class Known:
    """What is known before a batch."""
    def __init__(k):
        zeros = lambda *shape: torch.zeros(*shape, device=device)
        never = lambda *shape: torch.full(shape, -1, device=device, dtype=torch.float64)
        k.last, k.order, k.number, k.decayed, k.run = never(users, pages), zeros(users, pages), zeros(users, pages), zeros(3, users, pages), zeros(users, pages)
        k.page_last, k.page_decayed, k.page_first, k.page_number, k.page_kept = never(pages), zeros(3, pages), zeros(3, pages), zeros(pages), zeros(pages) + .5
        k.user_last, k.user_number, k.user_stays, k.user_news = never(users), zeros(users), zeros(users) + .5, zeros(users) + .5
        k.visited = torch.full((users, recent), pages, dtype=torch.long)
        k.time = torch.zeros((), device=device, dtype=torch.float64)

    def learn(k, i, j):
        s, d, t, pair = S[i:j], D[i:j], T[i:j], S[i:j] * pages + D[i:j]
        fade, weight = torch.exp(-(t[-1] - k.time).float() / lives), torch.exp(-(t[-1] - t).float() / lives[:, None])
        k.decayed *= fade[:, None, None]; k.page_decayed *= fade[:, None]; k.page_first *= fade[:, None]; k.time = t[-1]
        for life in range(3):
            k.decayed[life].view(-1).index_add_(0, pair, weight[life])
            k.page_decayed[life].index_add_(0, d, weight[life])
            k.page_first[life].index_add_(0, d, weight[life] * first[i:j])
        one = torch.ones(j - i, device=device)
        k.number.view(-1).index_add_(0, pair, one); k.page_number.index_add_(0, d, one); k.user_number.index_add_(0, s, one)
        for table, at in (k.last.view(-1), pair), (k.page_last, d), (k.user_last, s):
            table.scatter_reduce_(0, at, t, "amax")
        k.order.view(-1).scatter_reduce_(0, pair, torch.arange(i + 1, j + 1, device=device, dtype=torch.float32), "amax")
        last = lambda keys: number(list({key: n for n, key in enumerate(keys, i)}.values()), torch.long)
        u, p, up = last(source[i:j]), last(target[i:j]), last(zip(source[i:j], target[i:j]))
        k.user_stays[S[u]], k.user_news[S[u]], k.page_kept[D[p]], k.run[S[up], D[up]] = stays[u], news[u], kept[p], run[up]
        for user, page in zip(source[i:j], target[i:j]):
            k.visited[user] = torch.cat([k.visited[user, 1:], torch.tensor([page])])

    def columns(k, i, j):
        s, t = S[i:j], T[i:j]
        fade = torch.exp(-(t - k.time).clamp(min=0).float() / lives[:, None])
        n = k.number[s]
        met, rank = (n > 0).float(), k.order[s].argsort(1, descending=True).argsort(1).float()
        of_user, of_page = lambda x: x[:, None].expand_as(n), lambda x: x[None].expand_as(n)
        return torch.stack([met, met * ago((t[:, None] - k.last[s]).float()), torch.log1p(n), met * torch.log1p(rank), met * (rank == 0), met * (rank == 1),
            met * torch.log1p(k.run[s]), *(met * logarithm(k.decayed[x][s] * fade[x][:, None]) for x in range(3)),
            *map(of_user, (k.user_stays[s], k.user_news[s], torch.log1p(k.user_number[s]), ago((t - k.user_last[s]).float()), (k.user_number[s] == 0).float())),
            of_page(k.page_kept), of_page(torch.log1p(k.page_number)), ago((t[:, None] - k.page_last).float()),
            *(logarithm(table[x] * fade[x][:, None]) for x in range(3) for table in (k.page_decayed, k.page_first)),
            n / k.user_number[s].clamp(min=1)[:, None], met * of_user(torch.log1p(met.sum(1))), of_user(ago((t - k.time).float()))], 2)

class Network(nn.Module):
    def __init__(self, columns, wide=96, size=48):
        super().__init__()
        self.norm = nn.BatchNorm1d(columns)
        self.score = nn.Sequential(nn.Linear(columns, wide), nn.ReLU(), nn.Linear(wide, wide), nn.ReLU(), nn.Linear(wide, 1))
        self.page, self.answer, self.history = nn.Embedding(pages + 1, size), nn.Embedding(pages, size), nn.GRU(size, size, batch_first=True)
        nn.init.zeros_(self.answer.weight)

    def forward(self, x, visited):
        states, _ = self.history(dropout(self.page(visited), .2, self.training))
        return self.score(self.norm(x.flatten(0, 1))).view(len(x), pages) + states[:, -1] @ self.answer.weight.T

network, best = None, (0, 0, 0)
for epoch in range(epochs):
    known, began, sums = Known(), time.time(), {"train": [0, 0], "valid": [0, 0], "test": [0, 0]}
    i = 0
    while i < count:
        part, end = ("train", trained) if i < trained else ("valid", validated) if i < validated else ("test", count)
        j = min(i + 200, end)
        x, visited = known.columns(i, j), known.visited[source[i:j]].to(device)
        if network is None:
            network = Network(x.shape[2]).to(device)
            optimizer = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=1e-4)
        network.train(part == "train")
        with torch.set_grad_enabled(part == "train"):
            y = network(x, visited)
        if part == "train" and i > 5000:
            optimizer.zero_grad(); cross_entropy(y, D[i:j]).backward(); optimizer.step()
        true = y.detach().gather(1, D[i:j, None])
        rank = 1 + (y > true).sum(1) + ((y == true).sum(1) - 1) / 2
        sums[part][0] += (1 / rank).sum().item(); sums[part][1] += j - i
        known.learn(i, j)
        i = j
    mrr = {part: total / n for part, (total, n) in sums.items()}
    best = max(best, (mrr["valid"], mrr["test"], epoch))
    for group in optimizer.param_groups:
        group["lr"] *= .8
    print(epoch, {part: round(v, 4) for part, v in mrr.items()}, f"{time.time() - began:.1f} s", flush=True)
print("validation and test MRR of the epoch that validation chooses:", best)
