#define ZERO(a, n) _Pragma("acc parallel loop") for (int i = 0; i < n; ++i) a[i] = 0;
void f(float *a, int n)
{
    ZERO(a, n)
//  ^~~~ ACC210
}
