#include "tables.h"
int count;
double table[8];
struct point one;
double *moving;
float linked[16];
static int secret = 7;
#pragma acc declare copyin(secret)

#pragma acc routine seq
double sum(int i)
{
    return table[i % 8] + one.x + one.v[i & 3] + moving[i] + linked[i] + secret;
}

#pragma acc routine seq
void add(int i)
{
#pragma acc atomic
    count += i;
}

int counted(void)
{
    int result;
#pragma acc parallel copyout(result)
    result = count;
    return result;
}
