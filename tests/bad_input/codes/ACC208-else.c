#define OTHERWISE else

void f(int n, int *a)
{
#pragma acc serial copy(a[0:2])
    if (n > 3)
        a[0] = 1;
    OTHERWISE
//  ^~~~~~~~~ ACC208
        a[1] = 2;
}
