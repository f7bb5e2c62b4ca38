void f(float _Complex *s, int n)
{
    float _Complex sum = 0;
#pragma acc parallel loop reduction(+: sum)
//                                     ^~~ ACC262
    for (int i = 0; i < n; ++i)
        s[0] = sum;
}
