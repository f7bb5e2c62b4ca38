/* Obeys commands on stdin, one a line, and prints the host array after each: see test_sequences.py. */
#include <stdio.h>
#include <string.h>

#include "probe.h"

enum { LENGTH = 12 };
static int host[LENGTH];

static void show_extent(const char *device, const void *section)
{
    long long first = 0, end = 0;
    int known = 0;
    if (device == NULL) {
        printf(" null");
        return;
    }
    if (device == section) {
        printf(" host");
        return;
    }
    probe_extent(device, sizeof *host, &first, &end, &known);
    printf(" %lld %lld", first, end);
}

int main(void)
{
    char command[32];
    int start, length, option, flag;
    for (int i = 0; i < LENGTH; i++)
        host[i] = 100 + i;
    while (scanf("%31s %d %d %d %d", command, &start, &length, &option, &flag) == 5) {
        int *section = host + start;
        const size_t bytes = length * sizeof *host;
        if (!strcmp(command, "begin")) {
            accache_data_begin("m.c", 1);
        } else if (!strcmp(command, "map")) {
            show_extent(accache_map(option, section, bytes, "a", sizeof *host), section);
        } else if (!strcmp(command, "end")) {
            accache_data_end();
        } else if (!strcmp(command, "enter")) {
            accache_enter_data(option, section, bytes, "a", sizeof *host, "m.c", 2);
        } else if (!strcmp(command, "exit")) {
            accache_exit_data(option, flag, section, bytes, "a", "m.c", 3);
        } else if (!strcmp(command, "to_device")) {
            accache_update_device(section, bytes, flag, "a", "m.c", 4);
        } else if (!strcmp(command, "to_host")) {
            accache_update_host(section, bytes, flag, "a", "m.c", 5);
        } else if (!strcmp(command, "host_add")) {
            *section += 1000;
        } else if (!strcmp(command, "device_add")) {
            int *device = accache_device_pointer(section, "a");
            probe_set(device, probe_get(device) + 1000000);
        }
        for (int i = 0; i < LENGTH; i++)
            printf(" %d", host[i]);
        printf("\n");
    }
    return 0;
}
