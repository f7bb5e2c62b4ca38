// lengths in memory: a member that changes, an element that anything may change
struct sizes {
    int rows, columns;
};
void f(struct sizes size, int *lengths, float (*a)[size.columns], float (*b)[lengths[1]])
{
    size.columns -= 1;
#pragma acc parallel loop copyin(a[0:3]) copyout(b[0:3])
//          ^~~~~~~~~~~~~ ACC323
//          ^~~~~~~~~~~~~ ACC323
    for (int i = 0; i < 3; ++i)
        b[i][0] = a[i][0];
}
