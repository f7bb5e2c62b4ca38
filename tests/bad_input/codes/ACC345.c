#pragma acc routine vector
void clear(int *a, int n)
{
#pragma acc loop vector
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
#pragma acc routine seq
void clear_all(int *a, int n)
{
    clear(a, n);
//  ^~~~~ ACC345
}
