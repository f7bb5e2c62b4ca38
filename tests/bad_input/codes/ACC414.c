struct filter { float weight[4]; };
void f(float *b, int n, struct filter filter)
{
#pragma acc parallel loop copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(filter)
//                ^~~~~~ ACC414
        b[i] = filter.weight[i % 4];
    }
}
