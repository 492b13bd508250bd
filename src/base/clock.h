// clock.h - monotonic seconds, for reports and for the loose limits; never for a verdict.
#pragma once
double clock_seconds(void);
double clock_worked(void); // seconds of the processor that the calling thread has had
