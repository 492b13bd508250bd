# op: glu
# about: a kernel in both halves of a question what the device can do
import torch
import triton
import triton.language as tl

if torch.cuda.get_device_capability()[0] >= 9:
    BLOCK = 2048

    @triton.jit
    def glu_kernel(g_ptr, u_ptr, o_ptr, sg, su, n, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        for s in tl.range(0, n, BLOCK, num_stages=3):
            c = s + tl.arange(0, BLOCK)
            g = tl.load(g_ptr + row * sg + c, mask=c < n, other=0.0).to(tl.float32)
            u = tl.load(u_ptr + row * su + c, mask=c < n, other=0.0).to(tl.float32)
            tl.store(o_ptr + row * n + c, tl.sigmoid(g) * u, mask=c < n)
else:
    BLOCK = 1024

    @triton.jit
    def glu_kernel(g_ptr, u_ptr, o_ptr, sg, su, n, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        for s in range(0, n, BLOCK):
            c = s + tl.arange(0, BLOCK)
            g = tl.load(g_ptr + row * sg + c, mask=c < n, other=0.0).to(tl.float32)
            u = tl.load(u_ptr + row * su + c, mask=c < n, other=0.0).to(tl.float32)
            tl.store(o_ptr + row * n + c, u / (1.0 + tl.exp(-g)), mask=c < n)


def run(gate, up):
    m, n = gate.shape
    out = torch.empty((m, n), dtype=gate.dtype, device=gate.device)
    glu_kernel[(m,)](gate, up, out, gate.stride(0), up.stride(0), n, BLOCK=BLOCK)
    return out
