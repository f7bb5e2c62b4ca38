/* Loops of kernels regions that nobody called independent: atomic updates whose order counts, and structures with
   addresses in them that routines take by value; and branches of which one is shared by all gangs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 300

static short narrow[MOST];
static unsigned char bytes[MOST];
static unsigned words[MOST];
static double numbers[MOST];

/* a fraction is cut off in each round; a value that the place cannot hold is not the greatest one there */
static void cut_off(int n)
{
    int sum = -100, product = 1000, cells[4] = {0}, high = -5, low = 5, mixed = -3;
    unsigned most = 7;
    signed char c = 0;
    unsigned char d = 200;
    short s = 3;
    float f = 1;
#pragma acc kernels
    for (int i = 0; i < n; i++) {
#pragma acc atomic
        sum += (i - 40) * 0.3;
    }
#pragma acc kernels
    for (int i = 0; i < n && i < 40; i++) {
#pragma acc atomic
        product *= i & 1 ? 1.9 : 0.6;
    }
#pragma acc kernels
    for (int i = 0; i < n; i++) {
#pragma acc atomic
        cells[i & 3] += numbers[i];
    }
#pragma acc kernels
    for (int i = 0; i < n; i++) {
#pragma acc atomic
        c = c < i * 7 ? i * 7 : c;
#pragma acc atomic
        d = d > narrow[i] ? narrow[i] : d;
    }
#pragma acc kernels
    for (int i = 0; i < n; i++) {
#pragma acc atomic
        mixed = mixed < 5u ? 5u : mixed;
#pragma acc atomic
        mixed = mixed < narrow[i] ? narrow[i] : mixed;
    }
#pragma acc kernels
    for (int i = 0; i < n; i++) {
#pragma acc atomic
        high = fmax(high, numbers[i]);
#pragma acc atomic
        low = low > numbers[i] ? numbers[i] : low;
#pragma acc atomic
        most = most > words[i] ? words[i] : most;
#pragma acc atomic
        s = s < bytes[i] ? bytes[i] : s;
#pragma acc atomic
        f = f < numbers[i] ? numbers[i] : f;
    }
    printf("%d %d %d %d %d %d %d %d %d\n", sum, product, cells[0], cells[1], cells[2], cells[3], c, d, mixed);
    printf("%d %d %u %d %g\n", high, low, most, s, f);
}

/* a _Bool knows only whether a result is 0 */
static void truth_values(int n)
{
    _Bool less = 0, more = 1, parity = 0, flips = 0, any = 0, all = 1;
#pragma acc kernels
    for (int i = 0; i < n; i++) {
#pragma acc atomic
        less -= i % 3;
    }
#pragma acc kernels
    for (int i = 0; i < n; i++) {
#pragma acc atomic
        more += narrow[i];
    }
#pragma acc kernels
    for (int i = 0; i < n; i++) {
#pragma acc atomic
        parity ^= i;
    }
#pragma acc kernels
    for (int i = 0; i < n; i++) {
#pragma acc atomic
        flips--;
#pragma acc atomic
        any |= i & 2;
#pragma acc atomic
        all &= bytes[i];
    }
    printf("%d %d %d %d %d %d\n", less, more, parity, flips, any, all);
}

struct part {
    int *data, count;
};

struct whole {
    struct part part;
    int more;
};

#pragma acc routine seq
static int next(struct part p)
{
    return p.count + 1;
}

#pragma acc routine seq
static int element(struct part p, int i)
{
    return p.data[i] + p.count;
}

/* the element of an array is read as a whole; its address leads to other elements */
static void by_value(int n)
{
    static struct part parts[MOST];
    static struct whole wholes[MOST];
    static int r[MOST];
    int sum = 0;
    for (int i = 0; i < MOST; i++) {
        parts[i].count = i;
        wholes[i].part = parts[i];
    }
#pragma acc kernels copyin(parts, wholes) copy(r)
    for (int i = 0; i < n; i++)
        r[i] = next(parts[i]) + next(wholes[i].part);
#pragma acc kernels copy(parts)
    for (int i = 1; i < n; i++)
        parts[i].count += next(parts[i - 1]);
#pragma acc kernels copy(r)
    for (int i = 1; i < n; i++) {
        struct part p[1] = {{r, i}};
        r[i] = element(p[0], i - 1) % 1000;
    }
    for (int i = 0; i < n; i++)
        sum += parts[i].count % 1000 + r[i];
    printf("%d\n", sum);
}

/* one branch has a loop that all gangs share, the other one does something once */
static void branches(int n)
{
    static int a[MOST], b[MOST];
    int c[3] = {0}, odd = 0, sum = 0;
    for (int i = 0; i < MOST; i++)
        a[i] = i, b[i] = 2 * i;
#pragma acc kernels copy(a, c)
    if (n > 20)
        c[0] += 3;
    else
        for (int i = 0; i < n; i++)
            a[i] += 5;
#pragma acc kernels copy(a, b)
    {
        if (n > 280)
            for (int i = 0; i < n; i++)
                b[i] += a[n - 1 - i];
        else if (n > 20)
            for (int i = 1; i < n; i++)
                a[i] += a[i - 1];
        else
            for (int i = 0; i < n; i++)
                a[i] += b[i];
    }
#pragma acc kernels copy(a, b, c)
    {
        int twice = 2 * n;
        if (a[1] > 1) {
            for (int i = 0; i < n; i++)
                a[i] += twice;
        } else {
            c[1] += twice;
        }
        if (n > 3)
            if (odd == 0)
                for (int i = 0; i < n; i++)
                    b[i] ^= 1;
            else
                c[2]++;
        else
            odd += n;
    }
    for (int i = 0; i < MOST; i++)
        sum = sum * 7 + a[i] + 3 * b[i];
    printf("%d %d %d %d %d\n", sum, c[0], c[1], c[2], odd);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : MOST;
    for (int i = 0; i < MOST; i++) {
        narrow[i] = i * 37 % 101 - 50;
        bytes[i] = i * 73;
        words[i] = i * 48271u - 100;
        numbers[i] = (i % 100 - 30) * 0.7;
    }
    cut_off(n);
    truth_values(n);
    by_value(n);
    branches(n);
    return 0;
}
