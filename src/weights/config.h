// config.h - from config.json and generation_config.json, or the keys of a GGUF file, to a ModelConfig. What
// the program does not compute is refused by name.
#pragma once
#include "weights/checkpoint.h"
#include "weights/format/gguf.h"

MUST_CHECK bool config_of_folder(Arena *a, const char *folder, ModelConfig *out, Err *e);
// vocab is left 0: the embedding's rows tell it.
MUST_CHECK bool config_of_gguf(const Gguf *g, ModelConfig *out, Err *e);
// Of a profile of prompts: a short plain word. Anything else is as if nothing were said.
void config_profile(ModelConfig *c, Str name);
MUST_CHECK bool config_add_eos(ModelConfig *c, const char *file, int64_t id, Err *e); // once each
