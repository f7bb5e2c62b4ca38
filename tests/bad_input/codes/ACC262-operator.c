float f(const float *b, int n)
{
    float bits = 0;
#pragma acc parallel loop reduction(|: bits) copyin(b[0:n])
//                                     ^~~~ ACC262
    for (int i = 0; i < n; ++i)
        bits = bits + b[i];
    return bits;
}
