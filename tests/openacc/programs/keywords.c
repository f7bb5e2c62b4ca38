/* Names that mean something in C++ only: of variables, types, members, enumerators, functions and constants. */
#include "show.h"

typedef struct {
    int new;
    float operator;
} private_t;
struct template {
    int class;
    struct {
        int this;
    } delete;
};
enum catch { public = 4, protected };
enum { try_ = 9 };
typedef int explicit;
static const int typename[4] = {1, 2, 3, 4};

static int using(int friend, const int *virtual)
{
    int mutable = friend + 1;
    return mutable * *virtual;
}

/* Names that look like those of the first kind with something added. */
static void neighbours(int *restrict a, int n)
{
    int new = 7, new_ = 2;
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        a[i] += new * 10 + new_ + try_;
        {
            int new_ = i, public_ = 1, using_ = 3, class = 4, class_ = 5;
            a[i] += new * 3 + new_ * 5 + public * public_ + using(using_, &new_) + class * class_;
        }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    int *export = new_ints(n, 1), *throw = new_ints(n, 2);
    private_t namespace = {3, 2.5f};
    struct template try = {7, {8}};
    explicit bool = 2;
#pragma acc parallel loop copy(export[0:n], throw[0:n])
    for (int and = 0; and < n; and ++) {
        int not[2] = {namespace.new + try.class + try.delete.this, protected};
        enum catch or = and % 2 ? public : protected;
        export[and] += not[0] + (int)namespace.operator + or + bool + using(and, &not[1]);
        throw[and] -= typename[and & 3] + export[and];
    }
    SHOW("export", export, n);
    SHOW("throw", throw, n);
    neighbours(throw, n);
    SHOW("neighbours", throw, n);
#pragma acc parallel loop reduction(+: bool) copyin(throw[0:n])
    for (int xor = 0; xor < n; xor ++) {
#pragma acc cache(throw[xor:1])
        bool += throw[xor];
    }
    printf("bool %d\n", bool);
    return 0;
}
