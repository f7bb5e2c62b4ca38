struct pair { float x, y; };
void f(struct pair *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = *&(struct pair){1, 2};
//               ^ ACC301
}
