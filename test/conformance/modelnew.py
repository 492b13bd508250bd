"""A file whose entry is ModelNew instead of run, as our referee reads it: forward takes the op's first inputs, each
parameter is the next one, and one argument that __init__ asks for is the length of a row."""
import inspect


def wanted(function):
    plain = [p for p in list(inspect.signature(function).parameters.values())[1:] if p.kind == p.POSITIONAL_OR_KEYWORD]
    return len(plain), sum(p.default is p.empty for p in plain)


def with_run(module):
    """The module, with a run() made of its ModelNew where it has none."""
    if hasattr(module, "run") or not hasattr(module, "ModelNew"):
        return module
    import torch

    kind = module.ModelNew

    def run(*inputs):
        init = kind.__init__ if "__init__" in vars(kind) else None
        model = kind(*[inputs[0].shape[-1]] * (wanted(init)[1] if init else 0))
        given = wanted(kind.forward)[0]
        for name, weight in zip(list(model._parameters), inputs[given:]):
            model._parameters[name] = torch.nn.Parameter(weight, requires_grad=False)
        return model(*inputs[:given])

    module.run = run
    return module
