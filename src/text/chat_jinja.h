// chat_jinja.h - what of a chat template runs for a system and a user turn without tools.
#pragma once
#include "base/str.h"

// The tags that can run, in a normal form: comments and blanks gone, one kind of quotes, x['role'] as x.role,
// branches gone that only tools and earlier replies reach. Two templates with equal results render such turns
// alike. The result is itself a template. ERR_INPUT: text or a form that this cannot follow.
MUST_CHECK bool jinja_live(Arena *a, Str jinja, Buf *out, Err *e);
