/* Smoothing of a row of values on the device. */
#ifndef SMOOTH_H
#define SMOOTH_H

/* Replace each value by the mean of itself and its neighbours, `rounds` times; the two ends stay. */
void smooth(float *values, int count, int rounds);

#endif
