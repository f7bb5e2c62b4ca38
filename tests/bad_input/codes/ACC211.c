#define BEGIN(name) void name(float *a, int n) {
BEGIN(zero)
    #pragma acc parallel loop copy(a[0:n])
//  ^ ACC211
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
