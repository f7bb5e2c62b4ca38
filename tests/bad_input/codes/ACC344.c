#pragma acc routine seq
int twice(int x);
#pragma acc routine(twice) vector
//          ^~~~~~~ ACC344
int twice(int x)
{
    return 2 * x;
}
