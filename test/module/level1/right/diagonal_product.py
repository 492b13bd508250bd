import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale_rows(a_ptr, b_ptr, c_ptr, M, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + row)
    b = tl.load(b_ptr + row * M + cols, mask=cols < M, other=0.0)
    tl.store(c_ptr + row * M + cols, a * b, mask=cols < M)


class ModelNew(nn.Module):
    def forward(self, A, B):
        N, M = B.shape
        C = torch.empty_like(B)
        scale_rows[(N, triton.cdiv(M, 512))](A, B, C, M, BLOCK=512)
        return C
