struct list { int n; float *a; };
void f(struct list list, float *a, float b)
{
#pragma acc enter data copyin(list) attach(a, list.a, list.n)
//                                                    ^~~~~~ ACC247
#pragma acc exit data detach(a[0:2])
//                           ^ ACC247
#pragma acc host_data use_device(a, list.a)
//                                  ^~~~~~ ACC247
    b = 0;
#pragma acc host_data use_device(b)
//                               ^ ACC247
    b = 0;
#pragma acc data deviceptr(b)
//                         ^ ACC247
    b = 0;
}
