void f(int n, const float *b, float *a)
{
    float row[8] = { 0 }, m[4][8] = { { 0 } };
#pragma acc parallel loop copyin(b[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(row[6:4])
//                ^~~ ACC429
        a[i] = b[i] + row[i % 8] + m[i % 4][0];
    }
#pragma acc parallel loop copyin(b[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(row[-1:4])
//                ^~~ ACC429
        a[i] = b[i] + row[i % 8] + m[i % 4][0];
    }
#pragma acc parallel loop copyin(b[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(row[8])
//                ^~~ ACC429
        a[i] = b[i] + row[i % 8] + m[i % 4][0];
    }
#pragma acc parallel loop copyin(b[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(m[i % 4:1][i:9])
//                ^ ACC429
        a[i] = b[i] + row[i % 8] + m[i % 4][0];
    }
}
