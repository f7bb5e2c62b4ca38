struct point {
    double x;
    int v[4];
};
extern int count;
extern double table[8];
extern struct point one;
extern double *moving;
extern float linked[16];
#pragma acc declare create(count, one, moving) copyin(table)
#pragma acc declare link(linked)
#pragma acc routine seq
double sum(int i);
#pragma acc routine seq
void add(int i);
int counted(void);
