"""Triton's own compiler without a GPU: launches are specialised, parsed and type-checked for compute capability 9.0.

`install(full=False)` makes kernel[grid](...) compile and not run, on CPU tensors. By default it stops behind Triton's
own IR (what the front-end refuses is refused by then, and it takes milliseconds); full goes on to machine code.
"""
import nogpu
import triton
from triton.backends.compiler import GPUTarget

TARGET = GPUTarget("cuda", 90, 32)


class Driver:
    """As much of a driver as compilation asks for, and what host code may ask about the device."""

    class utils:
        @staticmethod
        def get_device_properties(device):
            return {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32, "sm_clock_rate": 1980000, "mem_clock_rate": 3201000, "mem_bus_width": 6144}

    def get_current_target(self):
        return TARGET

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0

    def get_active_torch_device(self):
        return "cpu"

    def get_device_capability(self, device=0):
        return (9, 0)


def install(full=False):
    from triton.runtime import driver
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    driver.set_active(Driver())
    nogpu.pretend()
    original = JITFunction.run

    def run(kernel, *args, grid, warmup, **kwargs):
        return original(kernel, *args, grid=grid, warmup=True, **kwargs)

    JITFunction.run = run

    def run_all(tuner, *args, **kwargs):
        for config in tuner.configs:
            tuner.fn.run(*args, **kwargs, **config.all_kwargs())

    Autotuner.run = run_all
    if not full:
        stop_behind_ttir()


def stop_behind_ttir():
    from triton.backends.nvidia.compiler import CUDABackend
    from triton.compiler import compiler

    def add_stages(backend, stages, options, language):
        stages["ttir"] = lambda src, metadata: backend.make_ttir(src, metadata, options, 90)

    CUDABackend.add_stages = add_stages
    compiler.CompiledKernel.__init__ = lambda kernel, src, group, key: None
