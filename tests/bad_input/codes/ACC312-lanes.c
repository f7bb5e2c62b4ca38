typedef struct {
    int at;
    float value;
} Found;

void f(const float *a, float *b, int n, int m)
{
#pragma acc parallel loop gang worker copyin(a[0:32*n]) copyout(b[0:32*n])
    for (int k = 0; k < n; ++k) {
        float last = 0, first = 0, next = 0, mine = 0;
        Found found = {0};
#pragma acc loop vector
        for (int i = 0; i < 32; ++i)
//      ^~~ ACC312
            if (a[i] > 1)
                last = a[i];
#pragma acc loop vector
        for (int i = 0; i < 32; ++i)
//      ^~~ ACC312
            if (i == m)
                found.at = i;
            else if (i == 4)
                found.at = 3;
#pragma acc loop vector
        for (int i = 0; i < 32; ++i) {
//      ^~~ ACC312
            if (i == 4)
                first = i;
            b[32*k + i] = first;
        }
#pragma acc loop vector
        for (int i = 0; i < 32; ++i) {
//      ^~~ ACC312
            int own = 2*i;
            if (i == own - i)
                next = i;
        }
#pragma acc loop vector
        for (int i = 0; i < 32; ++i)
            if (i == m)
                mine = i;
#pragma acc loop vector
        for (int i = 0; i < 32; ++i)
            b[32*k + i] += last + first + next + mine + found.at;
    }
}
