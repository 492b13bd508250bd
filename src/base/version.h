// version.h - of the program; a release changes it.
#pragma once

#define OUROBOROS_VERSION "0.1"
