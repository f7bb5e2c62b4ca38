void f(int n, const float *b, float *a, float scale, float (*m)[8])
{
    float row[8] = { 0 };
    int scalar = 1;
#pragma acc parallel loop copyin(b[0:n], m[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(row[0:2][0:4])
//                ^~~ ACC427
        a[i] = b[i] + row[i % 8] + scalar + m[i][0] + scale;
    }
#pragma acc parallel loop copyin(b[0:n], m[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(scalar[0:1])
//                ^~~~~~ ACC427
        a[i] = b[i] + row[i % 8] + scalar + m[i][0] + scale;
    }
#pragma acc parallel loop copyin(b[0:n], m[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(m[i:1][0:2][0:2])
//                ^ ACC427
        a[i] = b[i] + row[i % 8] + scalar + m[i][0] + scale;
    }
}
