void f(float _Complex *s, int n)
{
    float _Complex most = 0;
#pragma acc parallel loop reduction(max: most) copy(s[0:n])
//                                       ^~~~ ACC262
    for (int i = 0; i < n; ++i)
        most = s[i];
}
