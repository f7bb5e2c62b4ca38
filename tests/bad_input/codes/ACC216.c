void f(float *a, int n)
{
    float sum = 0;
#pragma acc parallel loop reduction(plus: sum) copyin(a[0:n])
//                                  ^~~~ ACC216
    for (int i = 0; i < n; ++i)
        sum += a[i];
    a[0] = sum;
}
