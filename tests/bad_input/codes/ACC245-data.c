void f(float (*a)[9])
{
#pragma acc data copy(a[1:2][3:4])
//                    ^ ACC245
    a[0][0] = 0;
}
