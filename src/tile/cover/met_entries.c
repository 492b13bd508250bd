#include "tile/cover/met_entries.h"

#include <string.h>

#include "tile/cover/outcomes.h"

static void set(uint8_t *bits, int i) { bits[i / 8] |= (uint8_t)(1 << i % 8); }

void met_begin(MetEntries *m, int run) {
    m->run = run;
    m->asked = m->alike = m->hit = false;
    m->numbers = m->items = 0;
}

void met_end(MetEntries *m, bool kept) {
    for (int i = 0; kept && i < m->tables; i++) {
        MetTable *t = &m->table[i];
        for (size_t k = 0; t->run == m->run && k < sizeof t->met; k++) t->met[k] |= t->now[k];
    }
}

int met_looked_up(MetEntries *m, uint32_t at, const void *made, int entries, int found) {
    int i = 0;
    while (i < m->tables && (m->table[i].at != at || m->table[i].made != made)) i++;
    if (i == MET_TABLES_MAX) return -1;
    MetTable *t = &m->table[i];
    if (i == m->tables) m->tables++, *t = (MetTable){.at = at, .made = made};
    if (entries > MET_ENTRIES_MAX) entries = MET_ENTRIES_MAX;
    if (entries > t->entries) t->entries = entries;
    if (t->run != m->run) memset(t->now, 0, sizeof t->now);
    t->run = m->run;
    if (found >= 0 && found < t->entries) set(t->now, found);
    return i == m->aim_table && m->aim_entry < entries ? m->aim_entry : -1;
}

void met_told(MetEntries *m) { set(m->table[m->aim_table].met, m->aim_entry); }

void met_key_begin(MetEntries *m, bool hit) {
    m->asked = m->alike = true;
    m->hit |= hit;
    m->numbers = 0;
}

void met_key_number(MetEntries *m, int64_t key, int64_t want) {
    if (m->numbers == KEY_NUMBERS_MAX) return;
    m->key[m->numbers] = key;
    m->want[m->numbers++] = want;
}

static bool has_number(const MetEntries *m, int64_t x) {
    for (int i = 0; i < m->items; i++)
        if (m->item[i] == x) return true;
    return false;
}

void met_compared(MetEntries *m, int64_t left, int64_t right) {
    if (has_number(m, right))
        met_key_number(m, left, right);
    else if (has_number(m, left))
        met_key_number(m, right, left);
}

// Texts with other words between their numbers are found out by the call that does not meet the entry.
void met_key_texts(MetEntries *m, Str key, Str want) {
    size_t i = 0, k = 0;
    int64_t x, y;
    bool any = false;
    while (text_number(key, &i, &x) && text_number(want, &k, &y)) met_key_number(m, x, y), any = true;
    if (!any) met_key_other(m, str_eq(key, want));
}

void met_key_other(MetEntries *m, bool same) { m->alike = m->alike && same; }
