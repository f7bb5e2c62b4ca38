#define ZERO(a, n) _Pragma("acc parallel loop") for (int i = 0; i < last(n); ++i) a[i] = 0;
#define last(n) last((n) - 1)
int (last)(int n);
void f(float *a, int n)
{
    ZERO(a, n)
//  ^~~~ ACC210
}
