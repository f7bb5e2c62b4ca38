struct pair { int first, second; } t;

void f(int *a, int *b, int n)
{
    struct pair own_pair;
    int part[4], sum[1] = {0}, own[4], last[1];
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n]) copy(sum, last) private(own)
    for (int i = 0; i < n; ++i) {
        t.first = a[i];
//      ^ ACC353
        own_pair.second = t.first;
        part[1] = a[i] + own_pair.second;
//      ^~~~ ACC353
        own[2] = part[1];
        b[i] = own[2];
        sum[0] += a[i];
//      ^~~ ACC353
        last[0] = 1;
    }
#pragma acc parallel loop copyin(a[0:n]) copy(sum)
//          ^~~~~~~~~~~~~ ACC327
    for (int i = 0; i < n; ++i) {
#pragma acc atomic
        sum[0] += a[i];
    }
#pragma acc parallel private(own)
#pragma acc loop gang
    for (int i = 0; i < n; ++i) {
        own[0] = i;
#pragma acc loop vector
        for (int j = 0; j < n; ++j) {
            own[1] = a[j];
//          ^~~ ACC353
            b[j] = own[1] + own[0];
        }
    }
}

void g(float *a, float *b, int n)
{
    float pair[2];
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
        pair[0] = a[i];
//      ^~~~ ACC353
        b[i] = pair[0] * pair[0];
    }
}

void h(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel copyin(a[0:n]) copyout(b[0:2*n])
    {
        float own[2];
        struct pair pair;
#pragma acc loop
        for (int i = 0; i < n; ++i) {
            own[0] = a[i];
            pair.first = i;
#pragma acc loop
            for (int j = 0; j < 2; ++j)
                b[2 * i + j] = own[0] * pair.first;
        }
    }
}

void whole(const float *restrict a, float *restrict b, int n)
{
    float part[8];
#pragma acc parallel loop gang private(part) copyin(a[0:8*n*n]) copyout(b[0:n*n])
    for (int i = 0; i < n; ++i) {
        float rows[2][4];
#pragma acc loop vector
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int k = 0; k < 8; ++k)
                part[k] = a[8*(i*n + j) + k];
//              ^~~~ ACC353
            for (int k = 7; k > 0; --k)
                sum += part[k];
            b[i*n + j] = sum;
        }
#pragma acc loop
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < 8; ++k)
                rows[k % 2][k / 2] = a[8*(i*n + j) + k];
            for (int k = 0; k < 2; ++k)
                for (int l = 0; l < 4; ++l)
                    rows[k][l] = a[8*(i*n + j) + 4*k + l];
//                  ^~~~ ACC353
            b[i*n + j] += rows[1][3];
        }
    }
#pragma acc parallel loop gang private(part) copyin(a[0:8*n*n]) copyout(b[0:n*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = 0; j < 8; ++j)
            part[j] = a[i*8 + j];
#pragma acc loop vector
        for (int j = 0; j < n; ++j) {
            float own[8], sum = 0;
            for (int k = 0; k < 4; ++k) {
                own[k] = part[k];
                part[k + 4] = 0;
            }
            for (int k = 0; k < 4; ++k)
                sum += own[k] * part[k];
            b[i*n + j] = sum;
        }
    }
}

void led(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel copyin(a[0:8*n]) copyout(b[0:8*n])
    {
        float own[8], *part = own;
#pragma acc loop gang
        for (int i = 0; i < n; ++i) {
#pragma acc loop vector
            for (int j = 0; j < 8; ++j)
                part[j] = a[8*i + j];
#pragma acc loop vector
            for (int j = 0; j < 8; ++j)
                b[8*i + j] = part[7 - j];
        }
    }
}
