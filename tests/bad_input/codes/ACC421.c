// options: --write back
void f(int *restrict v, int n, int limit)
{
#pragma acc parallel loop copy(v[0:n])
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 4; ++k) {
#pragma acc cache(v[i:1])
//                ^ ACC421
            v[i] += k * i;
            if (v[i] > limit)
                break;
            v[i] *= 2;
        }
    }
}
