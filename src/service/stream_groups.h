// stream_groups.h - requests that name a group: of the members that level quick accepts, the one that moves
// the fewest bytes is judged at level full. The others wait until it is accepted there, and keep quick's
// answer; where it is not, the next one climbs.
//
// A group is complete when all its members have come and have quick's answer. One that waits in vain is cut:
// then those that are there are all. Thread-safe; calls back without its lock.
#pragma once
#include "base/sha256.h"

enum { GROUP_NAME_MAX = 128, GROUP_MEMBERS_MAX = 1024 };

typedef struct Group Group;
// Inside a request. Zero, but for `arg` and `bytes`, which are the owner's to set.
typedef struct GroupMember {
    void *arg;
    size_t bytes; // that it takes while it is held
    bool best;    // full has accepted it, first of its group
    // ---- of the groups
    Group *group; // NULL: nobody waits for its answer
    struct GroupMember *next;
    double ratio;
    int64_t launches, order;
} GroupMember;

typedef enum {
    GROUP_SECOND,  // quick's answer stands: another one is the best
    GROUP_STOPPED, // it was asked to stop before one was found
    GROUP_LOST,    // the end of all: nobody hears it
} GroupEnd;
// From whichever thread made it so; the member is no longer the groups'.
typedef struct {
    void (*climb)(void *arg); // is to be judged at full; groups_judged() when it is
    void (*leave)(void *arg, GroupEnd why);
} GroupCalls;

typedef struct {
    Str name;
    int of;      // how many members it has
    Sha256 same; // of what all members have to share
} GroupAsked;
// Bytes moved over bytes needed, then launches, as a verdict's "traffic" tells them; then who came first.
typedef struct {
    double ratio; // 0: not known, behind all others
    int64_t launches;
} GroupRank;
// What is kept in mind: members that are held, and groups that wait for members.
typedef struct {
    int n, open; // open: the groups among them
    size_t bytes;
} GroupLoad;

typedef struct StreamGroups StreamGroups;
StreamGroups *groups_open(const GroupCalls *c);
void groups_close(StreamGroups *g); // what is held is lost; NULL is allowed
// False: other members of that name share something else.
MUST_CHECK bool groups_join(StreamGroups *g, const GroupAsked *a, GroupMember *m);
// Quick's answer to a member: accepted, and held until it climbs or leaves; or not, and it has left.
void groups_hold(StreamGroups *g, GroupMember *m, const GroupRank *r);
void groups_miss(StreamGroups *g, GroupMember *m);
// Full's answer to one that climbed.
void groups_judged(StreamGroups *g, GroupMember *m, bool accepted);
// Groups wait for no more members, the oldest first, until at most so much is left.
void groups_cut(StreamGroups *g, int n, size_t bytes);
// Nothing climbs any more, and what is held leaves.
void groups_stop(StreamGroups *g);
GroupLoad groups_load(StreamGroups *g);
