// power.h - what a GPU draws at the moment, by NVIDIA's management library (libnvidia-ml), loaded at run time
// as libcuda is. A machine without it, or that does not let us ask, lacks this number only.
#pragma once

typedef struct {
    void *library, *device;
    int (*usage)(void *device, unsigned *milliwatts);
} Power;
// `bus`: the device's PCI address, as cuDeviceGetPCIBusId gives it. The library is $OUROBOROS_LIBNVML, else
// libnvidia-ml.so.1.
void power_open(const char *bus, Power *out);
// Watts, as the card averages them (over a second on an H100); 0: not known.
double power_watts(const Power *p);
void power_close(Power *p);
