// logits.h - for tests of models: how close logits have to be.
#pragma once
#include "golden.h"
#include "model/model_plain.h"

static const double CLOSE = 1e-4;
