void f(float *a, int n)
{
#pragma acc exit data copyout(zero: a[0:n])
//                    ^~~~~~~ ACC216
}
