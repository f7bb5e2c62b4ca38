struct pair { int x, y; };

void f(struct pair *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 1; i < n; ++i) {
#pragma acc atomic write
        a[0] = a[i];
//      ^ ACC260
    }
}
