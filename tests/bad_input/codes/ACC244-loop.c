void f(int n, int *a, const int *b)
{
    int found = 0, j;
#pragma acc parallel copy(a[0:n], found) copyin(b[0:n])
    {
#pragma acc loop worker
        for (j = 0; j < n; ++j)
            if (b[j] == 3)
                break;
//              ^~~~~ ACC244
#pragma acc loop gang collapse(2)
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < 5; ++k) {
                if (a[k] == i)
                    break;
//                  ^~~~~ ACC244
                switch (a[k]) {
                case 1: break;
                }
                while (a[k]-- > 0)
                    if (a[k] == 7)
                        break;
            }
    }
#pragma acc serial loop copy(a[0:n])
    for (j = 0; j < n; ++j)
        if (a[j] == 3)
            break;
//          ^~~~~ ACC244
}
