# An embedding whose rows belong to ids of any size: a table numbers the ids, a tensor has the rows.
"""usage: python3 examples/python/embedding.py     needs torch; runs on a GPU if torch and roost have one"""
import torch

import roost


class Embedding(torch.nn.Module):
    """Rows for up to `room` different ids of 64 bits; an id gets its row when it first comes."""

    def __init__(self, room: int, width: int, device: str):
        super().__init__()
        self.numbers = roost.Table("i64", "i64", device=device, capacity=room, growth=False, numbered=True)
        self.rows = torch.nn.Parameter(torch.randn(room, width, device=device.replace("host", "cpu")))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        number = self.numbers.number if self.training else lambda ids: self.numbers.find(ids, default=0, found=False)
        return self.rows[number(ids.flatten())].view(*ids.shape, -1)


gpu = torch.cuda.is_available() and any(one["name"].startswith("cuda") for one in roost.devices())
device = "cuda:0" if gpu else "host"
model = Embedding(1000, 16, device)
ids = torch.randint(0, 500, (64, 4), device=device.replace("host", "cpu")) * 1_000_003
target = torch.zeros(64, 4, 16, device=ids.device)
optimiser = torch.optim.SGD(model.parameters(), 0.5)
losses = []
for _ in range(20):
    loss = ((model(ids) - target) ** 2).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    losses.append(loss.item())
right = losses[-1] < losses[0] and len(model.numbers) == len(ids.unique())
print(f"on {device}: loss {losses[0]:.3f} to {losses[-1]:.3f}, {len(model.numbers)} ids: {'right' if right else 'wrong'}")
