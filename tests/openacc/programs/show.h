/* What the programs of these tests share: input that is always the same, and results as lines of text. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first argument of the program: a size. */
static int size_argument(int argc, char **argv, int otherwise)
{
    return argc > 1 ? atoi(argv[1]) : otherwise;
}

/* A number in [0, 1000) that looks random but depends on its arguments only. */
static int noise(int i, int salt)
{
    unsigned value = (unsigned)i * 2654435761u + (unsigned)salt * 40503u;
    value ^= value >> 15;
    value *= 2246822519u;
    value ^= value >> 13;
    return (int)(value % 1000u);
}

static float *new_floats(int count, int salt)
{
    float *data = (float *)malloc((count + 1) * sizeof(float));
    for (int i = 0; i < count; ++i)
        data[i] = noise(i, salt) * 0.25f;
    return data;
}

static int *new_ints(int count, int salt)
{
    int *data = (int *)malloc((count + 1) * sizeof(int));
    for (int i = 0; i < count; ++i)
        data[i] = noise(i, salt);
    return data;
}

/* One line: the name of a case and a hash (FNV-1a) of all bits of its result. */
static void show(const char *name, const void *data, size_t bytes)
{
    const unsigned char *byte = (const unsigned char *)data;
    uint64_t value = 14695981039346656037u;
    for (size_t i = 0; i < bytes; ++i)
        value = (value ^ byte[i]) * 1099511628211u;
    printf("%s %016llx\n", name, (unsigned long long)value);
}

#define SHOW(name, pointer, count) show(name, pointer, (count) * sizeof *(pointer))

/* One line that says whether something is as it must be; a program has a wrong line or ends with 0. */
static int wrong_lines;

static void expect(const char *name, int is_so)
{
    wrong_lines += !is_so;
    printf("%s %s\n", name, is_so ? "ok" : "wrong");
}

/* Whether all elements are one value. */
static int all_are(const int *data, int count, int value)
{
    for (int i = 0; i < count; ++i)
        if (data[i] != value)
            return 0;
    return 1;
}

static void fill(int *data, int count, int value)
{
    for (int i = 0; i < count; ++i)
        data[i] = value;
}
