struct pair { int x[4], y; };

void f(struct pair p, int *b, int n)
{
#pragma acc parallel loop private(p.x) copy(b[0:n])
//                                ^~~ ACC261
    for (int i = 0; i < n; ++i) {
        p.x[0] = b[i];
        b[i] = 2 * p.x[0];
    }
}
