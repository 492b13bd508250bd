# A recorded run (recorded_run.h) as a Python function: it allocates, fills, copies and launches as the run does, with PyTorch's
# allocator and Triton's launcher, so that its call costs what a user's call does. Kernels are our own print of them.
import importlib.util
import os
import struct
import sys


class Unsupported(Exception):
    pass


def load(name, path):
    """From a file: Triton reads a kernel's source there."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Printer:
    """The text of a function that allocates, fills, copies and launches as the recorded run does."""

    def __init__(self, torch, run, choices, folder):
        self.torch, self.run, self.choices = torch, run, choices
        self.names = {"torch": torch}
        self.once, self.lines = [], []
        self.tensor = {}  # buffer: the name and the dtype of the tensor that stands for it
        for i, view in enumerate(run["inputs"]):
            self.tensor[view["buffer"]] = (f"x{i}", view["dtype"], view["offset"])
        self.load_kernels(folder)

    def load_kernels(self, folder):
        modules = []
        for i, kernel in enumerate(self.run["kernels"]):
            if "source" in kernel:
                path = os.path.join(folder, f"kernels_{i}.py")
                with open(path, "w", encoding="utf-8") as f:
                    f.write(kernel["source"])
                modules.append(load(f"kernels_{i}", path))
            else:
                modules.append(modules[kernel["source_of"]])
            self.names[f"k{i}"] = getattr(modules[i], kernel["name"])
        self.modules = modules

    def torch_dtype(self, name):
        table = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "i1": "bool", "u1": "bool",
                 "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
                 "u32": "uint32", "u64": "uint64"}
        if name not in table:
            if hasattr(self.torch, name):
                return name
            raise Unsupported(f"memory of {name}")
        return table[name]

    def bytes_of(self, dtype):
        return getattr(self.torch, dtype).itemsize

    def allocate(self, buffer, dtype):
        """`dtype`: of the kernel that is the first to use it."""
        about, shape = self.run["buffers"][buffer], None
        for view in self.run["outputs"]:
            count = 1
            for n in view["shape"]:
                count *= n
            own = self.torch_dtype(view["dtype"])
            if view["buffer"] == buffer and not view["offset"] and count * self.bytes_of(own) == about["bytes"]:
                shape, dtype = view["shape"], own
        size = self.bytes_of(dtype)
        shape = shape or [-(-about["bytes"] // size)]
        self.tensor[buffer] = (f"b{buffer}", dtype, 0)
        line = f"b{buffer} = torch.empty({tuple(shape)!r}, dtype=torch.{dtype}, device='cuda')"
        (self.once if about["kept"] else self.lines).append(line)

    def pointer(self, buffer, offset, type_name):
        dtype = self.torch_dtype(type_name.lstrip("*"))
        if buffer not in self.tensor:
            self.allocate(buffer, dtype)
        name, own, at = self.tensor[buffer]
        own = self.torch_dtype(own)
        if self.bytes_of(own) != self.bytes_of(dtype):
            raise Unsupported("one memory of two element sizes")
        if own != dtype:
            name = f"{name}.view(torch.{dtype})"
        if offset == at:
            return name
        if (offset - at) % self.bytes_of(dtype) or offset < at:
            raise Unsupported("a pointer in front of its tensor")
        return f"{name}.view(-1)[{(offset - at) // self.bytes_of(dtype)}:]"

    def constant(self, module, value):
        if not isinstance(value, dict):
            return repr(value)
        name = f"c{len(self.names)}"
        if "float" in value:
            self.names[name] = float(value["float"])
        elif "dtype" in value:
            self.names[name] = sys.modules["triton"].language.dtype(value["dtype"])
        elif "function" in value:
            self.names[name] = getattr(module, value["function"])
        else:
            return "(" + "".join(self.constant(module, v) + ", " for v in value["tuple"]) + ")"
        return name

    def scalar(self, arg, type_name):
        data = (arg["bits"] & (1 << 64) - 1).to_bytes(8, "little")[: arg["bytes"]]
        if type_name.startswith("fp"):
            form = {2: "<e", 4: "<f", 8: "<d"}[arg["bytes"]]
            return repr(struct.unpack(form, data)[0])
        value = int.from_bytes(data, "little", signed=type_name.startswith("i"))
        return repr(bool(value)) if type_name in ("u1", "i1") else repr(value)

    def values(self, module, params, args):
        out = []
        for p in params:
            if p["type"] == "tuple":
                out.append("(" + "".join(v + ", " for v in self.values(module, p["items"], args)) + ")")
            elif p["type"] == "constexpr":
                out.append(self.constant(module, p["value"]))
            else:
                arg = next(args)
                out.append(self.pointer(arg["buffer"], arg["offset"], p["type"]) if "buffer" in arg
                           else self.scalar(arg, p["type"]))
        return out

    def launch(self, step):
        choice = self.choices[step["group"]] if step["group"] >= 0 else 0
        launch = step["launch"][choice]
        kernel = self.run["kernels"][launch["kernel"]]
        o = kernel["options"]
        options = [f"num_warps={o['num_warps']}", f"num_stages={o['num_stages']}"]
        if o["num_ctas"] > 1:
            options.append(f"num_ctas={o['num_ctas']}")
        if o["maxnreg"]:
            options.append(f"maxnreg={o['maxnreg']}")
        if not o["fp_fusion"]:
            options.append("enable_fp_fusion=False")
        if o["cooperative"]:
            options.append("launch_cooperative_grid=True")
        if o["pdl"]:
            options.append("launch_pdl=True")
        if not all(launch["grid"]):
            return
        values = self.values(self.modules[launch["kernel"]], kernel["params"], iter(launch["args"]))
        self.lines.append(f"k{launch['kernel']}[{tuple(launch['grid'])!r}]({', '.join(values + options)})")

    def fill(self, fill):
        about = self.run["buffers"][fill["buffer"]]
        if fill["offset"] or fill["width"] * fill["count"] != about["bytes"]:
            raise Unsupported("a fill of a part of a tensor")
        ints = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}[fill["width"]]
        if fill["buffer"] not in self.tensor:
            floats = {2: "float16", 4: "float32", 8: "float64"}
            self.allocate(fill["buffer"], self.first_dtype(fill["buffer"]) or floats.get(fill["width"], ints))
        name, dtype, _ = self.tensor[fill["buffer"]]
        if self.bytes_of(self.torch_dtype(dtype)) != fill["width"]:
            raise Unsupported("a fill of another width than its tensor's")
        if not fill["pattern"]:
            self.lines.append(f"{name}.zero_()")
        else:
            data = (fill["pattern"] & (1 << 64) - 1).to_bytes(8, "little")[: fill["width"]]
            self.lines.append(f"{name}.view(torch.{ints}).fill_({int.from_bytes(data, 'little', signed=True)})")

    def first_dtype(self, buffer):
        for step in self.run["steps"]:
            for launch in step.get("launch", ())[:1]:
                types = flat_types(self.run["kernels"][launch["kernel"]]["params"])
                for arg, type_name in zip(launch["args"], types):
                    if arg.get("buffer") == buffer:
                        return self.torch_dtype(type_name.lstrip("*"))
        return None

    def view(self, view):
        name, dtype, at = self.tensor[view["buffer"]]
        if self.torch_dtype(dtype) != self.torch_dtype(view["dtype"]):
            name = f"{name}.view(torch.{self.torch_dtype(view['dtype'])})"
        offset = (view["offset"] - at) // self.bytes_of(self.torch_dtype(view["dtype"]))
        return f"torch.as_strided({name}, {tuple(view['shape'])!r}, {tuple(view['strides'])!r}, {name}.storage_offset() + {offset})"

    def copy(self, copy):
        if copy["offset"]:
            raise Unsupported("a copy into a part of a tensor")
        if copy["buffer"] not in self.tensor:
            self.allocate(copy["buffer"], self.torch_dtype(copy["from"]["dtype"]))
        name = self.tensor[copy["buffer"]][0]
        self.lines.append(f"{name}.view(-1).copy_({self.view(copy['from'])}.reshape(-1))")

    def step(self, step):
        if "launch" in step:
            self.launch(step)
        elif "fill" in step:
            self.fill(step["fill"])
        else:
            self.copy(step["copy"])

    def output(self, view):
        name, dtype, at = self.tensor[view["buffer"]]
        count = 1
        for n in view["shape"]:
            count *= n
        own = self.torch_dtype(view["dtype"])
        whole = not view["offset"] and count * self.bytes_of(own) == self.run["buffers"][view["buffer"]]["bytes"]
        return name if whole and self.torch_dtype(dtype) == own else self.view(view)

    def function(self):
        for step in self.run["steps"][: self.run["setups"]]:
            self.step(step)
        self.once += self.lines
        self.lines = []
        for step in self.run["steps"][self.run["setups"]:]:
            self.step(step)
        answers = ", ".join(self.output(view) for view in self.run["outputs"])
        inputs = ", ".join(f"x{i}" for i in range(len(self.run["inputs"])))
        text = f"def call({inputs}):\n" + "".join(f"    {line}\n" for line in self.lines) + f"    return {answers}\n"
        if self.once and self.run["setups"]:
            raise Unsupported("a program that keeps something between calls")
        exec(compile("\n".join(self.once) + "\n" + text, "call.py", "exec"), self.names)
        return self.names["call"]


def flat_types(params):
    for p in params:
        if p["type"] == "tuple":
            yield from flat_types(p["items"])
        elif p["type"] != "constexpr":
            yield p["type"]
