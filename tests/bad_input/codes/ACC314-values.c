struct pair { int x, y; };

void f(int *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        struct pair local[2] = {{1, 2}, {3, 4}};
//                  ^~~~~ ACC314
#pragma acc loop vector
        for (int j = 0; j < 2; ++j)
            local[j].x += i;
        a[i] = local[1].x;
    }
}
