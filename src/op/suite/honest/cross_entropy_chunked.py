# op: cross_entropy
# about: log-sum-exp of vocabulary chunks by a two-dimensional grid, a second kernel joins them
import torch
import triton
import triton.language as tl


@triton.jit
def chunk_logsumexp(logits_ptr, lse_ptr, row_stride, VOCAB, N_CHUNKS, BLOCK_SIZE: tl.constexpr):
    row_idx = tl.program_id(0)
    chunk_idx = tl.program_id(1)
    logits_ptr += row_idx.to(tl.int64) * row_stride
    cols = chunk_idx * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    logits = tl.load(logits_ptr + cols, mask=cols < VOCAB, other=-float("inf")).to(tl.float32)
    c = tl.max(logits, 0)
    # a chunk may hold nothing but -inf
    c_safe = tl.where(c == -float("inf"), 0.0, c)
    s = tl.sum(tl.exp(logits - c_safe), 0)
    lse = tl.where(s > 0.0, c_safe + tl.log(tl.where(s > 0.0, s, 1.0)), -float("inf"))
    tl.store(lse_ptr + row_idx * N_CHUNKS + chunk_idx, lse)


@triton.jit
def join_chunks(logits_ptr, labels_ptr, lse_ptr, loss_ptr, row_stride, N_CHUNKS, CHUNKS_P2: tl.constexpr):
    row_idx = tl.program_id(0)
    i = tl.arange(0, CHUNKS_P2)
    lse = tl.load(lse_ptr + row_idx * N_CHUNKS + i, mask=i < N_CHUNKS, other=-float("inf"))
    top = tl.max(lse, 0)
    logsumexp = top + tl.log(tl.sum(tl.exp(lse - top), 0))
    label = tl.load(labels_ptr + row_idx).to(tl.int32)
    x = tl.load(logits_ptr + row_idx.to(tl.int64) * row_stride + label).to(tl.float32)
    tl.store(loss_ptr + row_idx, logsumexp - x)


def run(x, target):
    n_rows, vocab = x.shape
    chunk = 4096
    n_chunks, remainder = divmod(vocab, chunk)
    n_chunks += remainder != 0
    losses = torch.empty(n_rows, dtype=x.dtype, device=x.device)
    lse = torch.empty((n_rows, n_chunks), dtype=torch.float32, device=x.device)
    chunk_logsumexp[(n_rows, n_chunks)](x, lse, x.stride(0), vocab, n_chunks, BLOCK_SIZE=chunk, num_warps=8)
    join_chunks[(n_rows,)](
        x, target, lse, losses, x.stride(0), n_chunks, CHUNKS_P2=triton.next_power_of_2(n_chunks), num_warps=4
    )
    return losses
