void f(const int *restrict keys, int *restrict bins, int n)
{
#pragma acc parallel loop copyin(keys[0:n]) copy(bins[0:64])
//          ^~~~~~~~~~~~~ ACC327
    for (int i = 0; i < n; ++i) {
#pragma acc atomic
        bins[keys[i]]++;
    }
}
