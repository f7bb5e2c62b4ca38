struct bits { unsigned low : 4, high : 28; };

void f(struct bits *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 1; i < n; ++i) {
#pragma acc atomic
        a->low++;
//      ^ ACC260
    }
}
