int f(int n, const int *a)
{
    int rest = 1000;
#pragma acc parallel loop reduction(-: rest) copyin(a[0:n])
//                                  ^ ACC224
    for (int i = 0; i < n; ++i)
        rest -= a[i];
    return rest;
}
