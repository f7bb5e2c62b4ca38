#pragma acc routine gang
int count(const int *a, int n)
{
    int found = 0;
#pragma acc loop gang reduction(+: found)
//          ^~~~ ACC241
    for (int i = 0; i < n; ++i)
        found += a[i] > 0;
    return found;
}
