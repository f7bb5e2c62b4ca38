void f(float **a, float (*b)[9], int n)
{
#pragma acc enter data copyin(a[0:n][:])
//                            ^ ACC246
#pragma acc update self(a[0:n][1:])
//                      ^ ACC246
#pragma acc update self(b[0:][1:])
//                      ^ ACC246
#pragma acc update self(b[0:n][1:])
#pragma acc update self(b[0:n][0:])
}
