float fmaxf(float, float);
float f(const float *a, int n, int *count)
{
    float error = 0, sum = 0, own = 0, kept = 0, best = 0;
    int k = 0, found = 0;
#pragma acc parallel loop copyin(a[0:n]) copy(kept)
    for (int i = 0; i < n; ++i) {
        error = fmaxf(error, a[i]) / 2;
//      ^~~~~ ACC322
        if (found < 7)
            found++;
//          ^~~~~ ACC322
        if (!(a[i] <= best))
//      ^~ ACC322
            best = a[i];
        for (k = 0; k < 3; k++)
            own += a[i];
#pragma acc atomic
        kept += own;
    }
#pragma acc parallel copyin(a[0:n])
#pragma acc loop reduction(+: sum)
    for (int i = 0; i < n; ++i)
        sum += a[i];
    own = k;
    *count = found;
    return error + sum + own + kept + best;
}
