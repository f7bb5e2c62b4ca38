void f(const float *p, float *q, int n)
{
#pragma acc parallel loop copyin(p[0:n]) copyout(q[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(p[:])
//                ^ ACC428
        q[i] = p[i];
    }
}
