// peft.h - adapter_config.json of PEFT, as far as it says which modules are adapted and by how much. What the
// program cannot honour is refused by name. Patterns are Python's regular expressions, run by PCRE2 under
// limits.
#pragma once
#include "base/str.h"

typedef struct Peft Peft;
MUST_CHECK bool peft_open(Arena *a, const char *path, Peft **out, Err *e);
void peft_close(Peft *p); // what jansson and PCRE2 hold
// Does the configuration adapt the module of this path ("model.layers.0.self_attn.q_proj")?
MUST_CHECK bool peft_adapts(const Peft *p, const char *module, bool linear, bool *out, Err *e);
// Its rank and scale: alpha / r, or alpha / sqrt(r) with use_rslora.
MUST_CHECK bool peft_scale(const Peft *p, const char *module, int *rank, float *scale, Err *e);
