// programs.h - for tests of the built-in programs.
#pragma once
#include "host/policy/screen.h"
#include "op/op.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static Arena arena;
static const Program *all;
static int count;
