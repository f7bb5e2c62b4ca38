int f(void)
{
    int n = 3
#pragma acc wait
// (line) ACC104
    ;
    return n;
}
