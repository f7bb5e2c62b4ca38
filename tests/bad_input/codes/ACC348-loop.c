#pragma acc routine vector
int count(const int *a, int n);
#pragma acc routine worker
int until(int *a, int n)
{
    int k = 0;
    while (count(a, n) > k)
//         ^~~~~ ACC348
        ++k;
    return k;
}
