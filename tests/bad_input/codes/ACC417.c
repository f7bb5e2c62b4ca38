struct list { int n; float *a; };
void f(struct list list, float *restrict b, int n)
{
#pragma acc parallel loop copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(list.a[i:1])
//                ^~~~~~ ACC417
        b[i] = list.a[i];
    }
}
