int f(float *a, int n)
{
#pragma acc data copy(a[0:n])
    {
    again:
        if (n-- > 0)
            goto again;
        goto out;
//      ^~~~ ACC244
    }
out:
    return 0;
}
