#pragma acc routine seq
//          ^~~~~~~ ACC340
int limit;
int twice(int x)
{
    return 2 * x;
}
