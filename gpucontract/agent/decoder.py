"""The reference model of the training probe: a small dense decoder on synthetic tokens, the same wherever it runs.

Every size is fixed, so that tokens per second of two machines can be compared.
"""

from __future__ import annotations

from typing import Any, Dict, NamedTuple


class Sizes(NamedTuple):
    """What the model and its batches measure; batch: sequences a GPU takes in one step."""

    layers: int = 8
    dim: int = 2048
    heads: int = 16
    sequence: int = 2048
    vocab: int = 32000
    batch: int = 4

    @property
    def tokens(self) -> int:
        """Tokens that one GPU takes in one step."""
        return self.sequence * self.batch

    def flop_per_token(self, params: int) -> int:
        """Forward and backward: 6 x parameters + 12 x layers x dim x sequence (the attention's two products)."""
        return 6 * params + 12 * self.layers * self.dim * self.sequence


# By hand on a machine without GPUs; such a result is never a measurement.
TINY = Sizes(layers=2, dim=64, heads=2, sequence=64, vocab=256, batch=2)
# So many different batches, again and again: a model that computes rightly learns them.
BATCHES = 4
LEARNING_RATE = 3e-4


def model(torch: Any, sizes: Sizes) -> Any:
    """A decoder with learned positions; the output shares the embedding's weights."""
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[name-defined]
        """Attention to what came before, then two layers four times as wide."""

        def __init__(self) -> None:
            super().__init__()
            self.before, self.after = nn.LayerNorm(sizes.dim), nn.LayerNorm(sizes.dim)
            self.attention = nn.Linear(sizes.dim, 3 * sizes.dim, bias=False)
            self.joined = nn.Linear(sizes.dim, sizes.dim, bias=False)
            self.wide = nn.Linear(sizes.dim, 4 * sizes.dim, bias=False)
            self.narrow = nn.Linear(4 * sizes.dim, sizes.dim, bias=False)

        def forward(self, x: Any) -> Any:
            count, length, _ = x.shape
            split = self.attention(self.before(x)).view(count, length, 3, sizes.heads, sizes.dim // sizes.heads)
            query, key, value = split.permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + self.joined(seen.transpose(1, 2).reshape(count, length, sizes.dim))
            return x + self.narrow(functional.gelu(self.wide(self.after(x))))

    class Decoder(nn.Module):  # type: ignore[name-defined]
        """Tokens in, the mean cross entropy of the next ones out."""

        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(sizes.vocab, sizes.dim)
            self.places = nn.Parameter(torch.zeros(sizes.sequence, sizes.dim))
            self.blocks = nn.ModuleList([Block() for _ in range(sizes.layers)])
            self.last = nn.LayerNorm(sizes.dim)
            nn.init.normal_(self.words.weight, std=0.02)

        def forward(self, tokens: Any) -> Any:
            x = self.words(tokens[:, :-1]) + self.places
            for block in self.blocks:
                x = block(x)
            logits = functional.linear(self.last(x), self.words.weight)
            return functional.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())

    return Decoder()


def described(sizes: Sizes, params: int) -> Dict[str, int]:
    """The sizes as the probe prints them."""
    return {**sizes._asdict(), "params": params, "flop_per_token": sizes.flop_per_token(params)}
