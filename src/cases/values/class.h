// class.h - input classes: what a line of values looks like (cases/domain/domain.h).
#pragma once

typedef enum {
#define CLASS(id, who, doc) CLASS_##id,
#include "cases/values/class.def"
#undef CLASS
    CLASS_COUNT
} ClassId;
