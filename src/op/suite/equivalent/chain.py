# Mutants of the kernels that are made from a bare norm and an epilogue which nobody can tell from the original, with
# the reason. `ouroboros prove` prints each of them and lets it agree with the oracle on ten million elements first.
equivalent = [
    {
        "ops": "add_layernorm_gelu_erf add_layernorm_relu2 add_layernorm_sigmoid add_layernorm_square add_layernorm_abs add_layernorm_softsign add_layernorm_hardsigmoid add_layernorm_hardswish add_layernorm_leaky_relu add_layernorm_relu6 add_layernorm_hardtanh add_layernorm_elu add_layernorm_selu add_layernorm_mish",
        "kind": "swapped_operands",
        "before": "c = tl.where(mask, h - mean, 0.0)",
        "after": "c = tl.where(mask, mean - h, 0.0)",
        "reason": "Only the square of c is used in this loop, and the square of a difference does not depend on its sign.",
    },
    {
        "ops": "rmsnorm_elu layernorm_elu add_rmsnorm_elu add_layernorm_elu",
        "kind": "activation",
        "before": "y = tl.where(y > 0.0, y, tl.exp(tl.minimum(y, 0.0)) - 1.0)",
        "after": "y = tl.where(y > 0.0, y, tl.exp(y) - 1.0)",
        "reason": "Where the exponential may overflow, above zero, the other side of the where is taken; elsewhere the minimum is y itself.",
    },
    {
        "ops": "rmsnorm_elu layernorm_elu add_rmsnorm_elu add_layernorm_elu",
        "kind": "constant",
        "before": "y = tl.where(y > 0.0, y, tl.exp(tl.minimum(y, 0.0)) - 1.0)",
        "after": "y = tl.where(y > 0.0, y, tl.exp(tl.minimum(y, 1.0)) - 1.0)",
        "reason": "The minimum is y itself for every y up to zero, and above zero the other side of the where is taken.",
    },
    {
        "ops": "rmsnorm_selu layernorm_selu add_rmsnorm_selu add_layernorm_selu",
        "kind": "activation",
        "before": "y = 1.0507009873554805 * tl.where(y > 0.0, y, 1.6732632423543772 * (tl.exp(tl.minimum(y, 0.0)) - 1.0))",
        "after": "y = 1.0507009873554805 * tl.where(y > 0.0, y, 1.6732632423543772 * (tl.exp(y) - 1.0))",
        "reason": "Where the exponential may overflow, above zero, the other side of the where is taken; elsewhere the minimum is y itself.",
    },
    {
        "ops": "rmsnorm_selu layernorm_selu add_rmsnorm_selu add_layernorm_selu",
        "kind": "constant",
        "before": "y = 1.0507009873554805 * tl.where(y > 0.0, y, 1.6732632423543772 * (tl.exp(tl.minimum(y, 0.0)) - 1.0))",
        "after": "y = 1.0507009873554805 * tl.where(y > 0.0, y, 1.6732632423543772 * (tl.exp(tl.minimum(y, 1.0)) - 1.0))",
        "reason": "The minimum is y itself for every y up to zero, and above zero the other side of the where is taken.",
    },
    {
        "ops": "rmsnorm_mish layernorm_mish add_rmsnorm_mish add_layernorm_mish",
        "kind": "activation",
        "before": "s = tl.where(y > 20.0, y, tl.log(1.0 + tl.exp(tl.minimum(y, 20.0))))",
        "after": "s = tl.where(y > 20.0, y, tl.log(1.0 + tl.exp(y)))",
        "reason": "Where the exponential may overflow, beyond 20, the other side of the where is taken; elsewhere the minimum is y itself.",
    },
    {
        "ops": "rmsnorm_mish layernorm_mish add_rmsnorm_mish add_layernorm_mish",
        "kind": "constant",
        "before": "s = tl.where(y > 20.0, y, tl.log(1.0 + tl.exp(tl.minimum(y, 20.0))))",
        "after": "s = tl.where(y > 20.0, y, tl.log(1.0 + tl.exp(tl.minimum(y, 20.02))))",
        "reason": "The minimum is y itself for every y up to 20, and beyond 20 the other side of the where is taken.",
    },
    {
        "ops": "rmsnorm_mish layernorm_mish add_rmsnorm_mish add_layernorm_mish",
        "kind": "selection",
        "before": "s = tl.where(y > 20.0, y, tl.log(1.0 + tl.exp(tl.minimum(y, 20.0))))",
        "after": "s = tl.log(1.0 + tl.exp(tl.minimum(y, 20.0)))",
        "reason": "Beyond 20 this leaves s at 20, and only tanh(s) is used, which is 1 in float32 from 10 on.",
    },
    {
        "ops": "rmsnorm_mish layernorm_mish add_rmsnorm_mish add_layernorm_mish",
        "kind": "constant",
        "before": "s = tl.where(y > 20.0, y, tl.log(1.0 + tl.exp(tl.minimum(y, 20.0))))",
        "after": "s = tl.where(y > 20.02, y, tl.log(1.0 + tl.exp(tl.minimum(y, 20.0))))",
        "reason": "Between 20 and 20.02 this leaves s at 20, and only tanh(s) is used, which is 1 in float32 from 10 on.",
    },
]
