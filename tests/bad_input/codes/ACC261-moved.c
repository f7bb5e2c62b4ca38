void f(int *t, int *out, int n)
{
    int s = 2;
#pragma acc parallel num_gangs(1) copyout(out[0:n])
    {
#pragma acc loop seq private(t[s:3])
//                           ^ ACC261
        for (int i = 0; i < n; ++i) {
            t[2] = i;
            s = 2 + i % 3;
            out[i] = t[2];
        }
#pragma acc loop seq private(t[s:3], n)
//                           ^ ACC261
        for (int i = 0; i < 8; i++, s++) {
            t[4] = i;
            out[i] = t[4];
        }
    }
}
