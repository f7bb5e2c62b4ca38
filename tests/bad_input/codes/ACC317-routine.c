static int counted(int x)
{
    static int calls;
//             ^~~~~ ACC317
    static const int offsets[2] = {1, 2};
    return x + ++calls + offsets[x % 2];
}
void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = counted(i);
}
