void f(float *(*a)[9], float (**b)[9], float **c)
{
#pragma acc update self(a[0:2][0:9][0:4])
//                      ^ ACC245
#pragma acc update self(b[0:2][0:3][1:4])
//                      ^ ACC245
#pragma acc exit data delete(b[0:2][0:3][0:9], c[0:2][0:3])
}
