float fmaxf(float, float);
float f(const float *a, int n, int *count)
{
    float error = 0, sum = 0;
    int found = 0;
#pragma acc parallel loop copyin(a[0:n]) copy(sum)
//          ^~~~~~~~~~~~~ ACC328
//          ^~~~~~~~~~~~~ ACC328
//          ^~~~~~~~~~~~~ ACC328
    for (int i = 0; i < n; ++i) {
        error = fmaxf(error, a[i]);
        if (a[i] > 1)
            found++;
        sum += a[i];
    }
    *count = found;
    return error + sum;
}
void g(const float *a, float *row, int n)
{
#pragma acc parallel loop gang copyin(a[0:n*n]) copyout(row[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc loop vector
//          ^~~~ ACC328
        for (int j = 0; j < n; ++j)
            sum += a[i * n + j];
        row[i] = sum;
    }
}
