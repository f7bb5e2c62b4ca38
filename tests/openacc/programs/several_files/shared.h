#ifndef SHARED_H
#define SHARED_H

typedef struct {
    double low, high;
} range;

/* In scales.c, which has no directive of its own. */
#pragma acc routine seq
double scaled(double x, range r);
double halved(const double *x);
#pragma acc routine(halved) seq

#pragma acc routine seq
static inline double clamped(double x, range r)
{
    return x < r.low ? r.low : x > r.high ? r.high : x;
}

/* In sums.c: on the device, another function runs in the place of the first. */
#pragma acc routine(sum_on_device) seq
double sum_on_device(const double *a, int n);
#pragma acc routine seq bind(sum_on_device)
double sum(const double *a, int n);

#endif
