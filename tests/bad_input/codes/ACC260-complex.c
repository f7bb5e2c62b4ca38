void f(double _Complex *sum, const double _Complex *a, int n)
{
#pragma acc parallel loop copy(sum[0:1]) copyin(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc atomic
        *sum += a[i];
//       ^~~ ACC260
    }
}
