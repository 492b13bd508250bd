// uses.h - which names of a module a piece of its code asks for: variables of its own functions, lambdas and
// comprehensions are none of those.
#pragma once
#include "host/policy/scope.h"

// Adds them to `names`. Of a method that is skipped (NULL: none is) its decorators alone are looked at.
typedef bool SkipsMethod(void *arg, const Node *klass, const Node *method);
void names_used(Arena *a, Names *names, const Node *n, SkipsMethod *skips, void *arg);
