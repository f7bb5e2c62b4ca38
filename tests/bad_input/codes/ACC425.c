void f(int n, const float *b, float *a, float scale, float (*m)[8])
{
    float row[8] = { 0 };
    int scalar = 1;
#pragma acc parallel loop copyin(b[0:n], m[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(b[0.5 * i:4])
//                ^ ACC425
        a[i] = b[i] + row[i % 8] + scalar + m[i][0] + scale;
    }
#pragma acc parallel loop copyin(b[0:n], m[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(b[i:scale])
//                ^ ACC425
        a[i] = b[i] + row[i % 8] + scalar + m[i][0] + scale;
    }
#pragma acc parallel loop copyin(b[0:n], m[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(b[b:2])
//                ^ ACC425
        a[i] = b[i] + row[i % 8] + scalar + m[i][0] + scale;
    }
}
