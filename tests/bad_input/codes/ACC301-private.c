// in a kernel a copy of a pointer to rows would be a pointer to elements
void f(int n, int m, float (*a)[m], long *b)
{
    float (*row)[m];
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n]) private(row)
//                                                            ^~~ ACC301
    for (int i = 0; i < n; ++i) {
        row = &a[i];
        b[i] = (*row)[0];
    }
}
