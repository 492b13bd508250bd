// nfc.h - Unicode's normalisation form C, by utf8proc's tables. Linear but for sorting runs of marks.
#pragma once
#include "base/str.h"

// Surely in form C already: all characters are of ranges that no normalisation touches. Text for which this
// is false may still be.
bool nfc_plain(Str text);
// text: valid UTF-8.
void nfc_put(Str text, Buf *out);
