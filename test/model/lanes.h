// lanes.h - for tests of vector loops: every build of them that this machine runs.
#pragma once
#include "base/isa.h"
#include "base/numeric/fmath.h"
#include "base/numeric/rng.h"
#include "model/attention_simd.h"
#include "model/forward_simd.h"
#include "model/sample_simd.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static inline int builds(void) { return (int)isa_level() + 1; }
