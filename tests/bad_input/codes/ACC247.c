struct list { int n; float *a; };
void f(struct list *list)
{
#pragma acc enter data copyin(list->a[0:list->n])
//                            ^~~~~~~ ACC247
}
