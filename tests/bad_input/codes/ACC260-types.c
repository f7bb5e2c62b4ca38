void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc atomic update
        a[(unsigned char)i] = a[(unsigned short)i] + 1;
//      ^ ACC260
    }
}
