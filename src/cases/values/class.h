// class.h - input classes: what a line of values looks like (cases/domain/domain.h).
#pragma once

typedef enum {
#define CLASS(id, who, doc) CLASS_##id,
#include "cases/values/class.def"
#undef CLASS
    CLASS_COUNT
} ClassId;
const char *class_name(ClassId c);  // "stagnation"
const char *class_words(ClassId c); // for feedback: "a row of one large value followed by ones"
char class_who(ClassId c);          // which inputs have it, as class.def says
