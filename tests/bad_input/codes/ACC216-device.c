void f(void)
{
#pragma acc set device_type(toaster)
//                          ^~~~~~~ ACC216
}
