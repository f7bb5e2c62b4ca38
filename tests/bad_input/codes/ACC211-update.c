float a[4];
#pragma acc update self(a)
//          ^~~~~~ ACC211
void f(void)
{
}
