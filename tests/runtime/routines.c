/* One function for each rule of the routines of openacc.h; the first argument chooses one. See test_openacc_routines.py. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accache_runtime.h"

enum { N = 8 };
static int a[N] = {0, 1, 2, 3, 4, 5, 6, 7}, b[N];

static int get(const void *device) /* an int of device memory */
{
    int value = 0;
    acc_memcpy_from_device(&value, (void *)device, sizeof value);
    return value;
}

static void set(void *device, int value) { acc_memcpy_to_device(device, &value, sizeof value); }

static void copyin_copyout(void)
{
    int *const d = acc_copyin(a, sizeof a);
    printf("%d %d ", get(d), get(d + 7));
    printf("%d ", acc_copyin(a + 2, 8) == d + 2); /* a second time: counted, nothing copied */
    set(d + 3, 33);
    acc_copyout(a, sizeof a);
    printf("%d %d ", acc_is_present(a, sizeof a), a[3]);
    acc_copyout(a, sizeof a);
    printf("%d %d ", acc_is_present(a, sizeof a), a[3]);
    acc_copyout(a, sizeof a); /* absent: nothing */
    printf("%d", acc_copyin(NULL, 4) == NULL);
}

static void finalize(void)
{
    for (int i = 0; i < 3; i++)
        acc_create(a, sizeof a);
    set(acc_deviceptr(a), 10);
    acc_copyout_finalize(a, sizeof a);
    printf("%d %d ", a[0], acc_is_present(a, 4));
    acc_copyin(a, sizeof a);
    acc_copyin(a, sizeof a);
    acc_delete(a, sizeof a);
    printf("%d ", acc_is_present(a, 4));
    acc_delete_finalize(a, sizeof a);
    printf("%d", acc_is_present(a, 4));
}

static void aliases(void)
{
    int *const d = acc_pcopyin(a, sizeof a);
    printf("%d %d %d %d ", acc_present_or_copyin(a, 4) == d, acc_pcreate(a, 4) == d, acc_present_or_create(a + 1, 4) == d + 1,
           get(d + 1));
    for (int i = 0; i < 4; i++)
        acc_delete(a, sizeof a);
    printf("%d", acc_is_present(a, 4));
}

static void update(void)
{
    int *const d = acc_copyin(a, sizeof a);
    a[1] = 100;
    a[2] = 200;
    acc_update_device(a + 1, 4);
    printf("%d %d ", get(d + 1), get(d + 2));
    set(d + 5, 55);
    set(d + 6, 66);
    acc_update_self(a + 5, 4);
    printf("%d %d", a[5], a[6]);
}

static void absent_update(void) { acc_update_self(a, 4); }

static void addresses(void)
{
    char *const d = acc_create(a, sizeof a);
    printf("%d %d ", acc_deviceptr(a + 3) == d + 12, acc_hostptr(d + 12) == a + 3);
    printf("%d %d ", acc_deviceptr(b) == NULL, acc_hostptr(d + sizeof a) == NULL);
    printf("%d %d %d ", acc_is_present(a + 7, 4), acc_is_present(a + 7, 8), acc_is_present(a + 7, 0));
    printf("%d %d", acc_is_present(a - 1, 8), acc_is_present(b, 4));
}

static void partly(void)
{
    acc_create(a + 2, 8);
    acc_copyin(a, sizeof a);
}

static void memory(void)
{
    int *const d = acc_malloc(8), *const e = acc_malloc(8);
    acc_memcpy_to_device(d, a + 4, 8);
    acc_memcpy_device(e, d, 8);
    printf("%d %d ", get(e), get(e + 1));
    acc_free(d);
    acc_free(e);
    acc_free(NULL);
    printf("%d", acc_malloc(1 << 20) == NULL); /* the test leaves less than that */
}

static void map(void)
{
    int *const d = acc_malloc(2 * sizeof a);
    acc_map_data(a, d, sizeof a);
    acc_map_data(b, d + N, sizeof b);
    printf("%d %d ", acc_deviceptr(a + 1) == d + 1, acc_deviceptr(b) == d + N);
    acc_update_device(a, sizeof a);
    acc_copyin(a, sizeof a);
    acc_delete(a, sizeof a);
    acc_delete_finalize(a, sizeof a);
    printf("%d ", acc_is_present(a, sizeof a)); /* only acc_unmap_data ends it */
    acc_unmap_data(a);
    acc_unmap_data(b);
    printf("%d %d %d ", acc_is_present(a, 4), acc_is_present(b, 4), get(d + 1));
    acc_free(d);
    acc_map_data(a, acc_malloc(4), 4);
    printf("%d", acc_deviceptr(a) != NULL);
}

static void map_present(void) { acc_create(a, 4), acc_map_data(a, acc_malloc(4), 4); }
static void map_twice(void)
{
    char *const d = acc_malloc(16);
    acc_map_data(a, d, 16);
    acc_map_data(b, d + 8, 4);
}
static void map_around(void)
{
    char *const d = acc_malloc(16);
    acc_map_data(a, d + 8, 4);
    acc_map_data(b, d, 16);
}
static void unmap_created(void) { acc_create(a, 4), acc_unmap_data(a); }
static void unmap_inside(void) { acc_map_data(a, acc_malloc(8), 8), acc_unmap_data(a + 1); }
static void unmap_in_use(void)
{
    acc_map_data(a, acc_malloc(8), 8);
    accache_data_begin("r.c", 9);
    accache_map(ACCACHE_PRESENT, a, 4, "a", 4);
    acc_unmap_data(a);
}
static void free_mapped(void) { acc_free(acc_create(a, 4)); }

struct list { int *p; int n; int *q; };

static void attach(void)
{
    struct list s = {a + 1, 3, b};
    struct list *const d = acc_copyin(&s, sizeof s);
    int *there;
    acc_attach((void **)&s.p); /* its target is absent: nothing */
    acc_memcpy_from_device(&there, &d->p, sizeof there);
    printf("%d ", there == a + 1);
    int *const e = acc_copyin(a, sizeof a);
    acc_attach((void **)&s.p);
    acc_attach((void **)&s.p);
    acc_memcpy_from_device(&there, &d->p, sizeof there);
    printf("%d ", there == e + 1);
    s.n = 4; /* neither direction touches an attached pointer */
    acc_update_device(&s, sizeof s);
    acc_memcpy_from_device(&there, &d->p, sizeof there);
    printf("%d %d ", there == e + 1, get(&d->n));
    set(&d->n, 5);
    acc_update_self(&s, sizeof s);
    printf("%d %d ", s.p == a + 1, s.n);
    acc_detach((void **)&s.p);
    acc_memcpy_from_device(&there, &d->p, sizeof there);
    printf("%d ", there == e + 1);
    acc_detach((void **)&s.p);
    acc_memcpy_from_device(&there, &d->p, sizeof there);
    printf("%d ", there == a + 1);
    acc_detach((void **)&s.p); /* once more than attached: nothing */
    acc_attach((void **)&s.p);
    acc_attach((void **)&s.p);
    acc_detach_finalize((void **)&s.p);
    acc_memcpy_from_device(&there, &d->p, sizeof there);
    printf("%d ", there == a + 1);
    acc_attach((void **)&s.p);
    s.p = a + 2; /* another target: counted from one again */
    acc_attach((void **)&s.p);
    acc_detach((void **)&s.p);
    acc_memcpy_from_device(&there, &d->p, sizeof there);
    printf("%d ", there == a + 2);
    acc_attach((void **)&s.p);
    set(&d->n, 6);
    acc_copyout(&s, sizeof s); /* detaches first */
    printf("%d %d", s.p == a + 2, s.n);
}

static void attach_null(void)
{
    struct list s = {a, 3, NULL};
    struct list *const d = acc_create(&s, sizeof s);
    int *there = a;
    acc_attach((void **)&s.q);
    acc_memcpy_from_device(&there, &d->q, sizeof there);
    printf("%d", there == NULL);
}

static void device_types(void)
{
    printf("%d %d %d ", acc_get_device_type() == acc_device_nvidia, acc_get_num_devices(acc_device_nvidia),
           acc_get_num_devices(acc_device_not_host));
    printf("%d %d %d ", acc_get_num_devices(acc_device_host), acc_get_num_devices(acc_device_none),
           acc_get_num_devices(acc_device_radeon));
    printf("%d %d ", acc_on_device(acc_device_host), acc_on_device(acc_device_not_host));
    acc_set_device_type(acc_device_host);
    printf("%d %d %d ", acc_get_device_type() == acc_device_host, acc_get_num_devices(acc_device_current),
           acc_get_device_num(acc_device_host));
    acc_set_device_type(acc_device_default);
    printf("%d", acc_get_device_type() == acc_device_nvidia);
}

static void host_shares_its_memory(void)
{
    acc_init(acc_device_host);
    printf("%d %d %d ", acc_copyin(a, sizeof a) == a, acc_deviceptr(a) == a, acc_hostptr(a) == a);
    printf("%d ", acc_is_present(b, 4));
    int *const p = acc_malloc(4);
    *p = 5;
    acc_memcpy_device(b, p, 4);
    acc_memcpy_to_device(b + 1, a + 1, 4);
    acc_memcpy_from_device(b + 2, a + 2, 4);
    acc_update_device(b, 4);
    acc_update_self(b, 4);
    acc_copyout(b, 4);
    acc_map_data(b, a, 4);
    acc_unmap_data(b);
    acc_free(p);
    acc_attach((void **)&(int *){a});
    acc_wait(1);
    acc_wait_all_async(2);
    printf("%d %d %d ", b[0], b[1], b[2]);
    printf("%d %d %d ", acc_async_test(1), acc_async_test_all(), acc_get_cuda_stream(1) == NULL);
    accache_data_begin("r.c", 1);
    printf("%d ", accache_map(ACCACHE_COPY, a, sizeof a, "a", 4) == a);
    printf("%d ", accache_device_pointer(b, "b") == b);
    accache_data_end();
    accache_enter_data(ACCACHE_CREATE, a, sizeof a, "a", 4, "r.c", 2);
    accache_update_host(a, sizeof a, 0, "a", "r.c", 3);
    accache_exit_data(ACCACHE_DELETE, 0, a, sizeof a, "a", "r.c", 4);
    acc_shutdown(acc_device_host);
    printf("%d", acc_get_property(0, acc_device_host, acc_property_shared_memory_support) != 0);
}

static void a_region_ends_where_it_began(void)
{
    accache_data_begin("r.c", 1);
    int *const d = accache_map(ACCACHE_COPY, a, sizeof a, "a", 4);
    set(d, 9);
    acc_set_device_num(1, acc_device_nvidia);
    printf("%d ", acc_is_present(a, 4));
    acc_set_device_type(acc_device_host);
    accache_data_end();
    printf("%d %d ", a[0], acc_get_device_type() == acc_device_host);
    acc_set_device_type(acc_device_nvidia);
    printf("%d", acc_get_device_num(acc_device_nvidia));
}

static void two_devices(void)
{
    printf("%d ", acc_get_device_num(acc_device_nvidia));
    int *const d = acc_copyin(a, sizeof a);
    acc_set_device_num(1, acc_device_nvidia);
    a[0] = 50;
    int *const e = acc_copyin(a, sizeof a);
    printf("%d %d %d ", get(d), get(e), acc_get_device_num(acc_device_current));
    printf("%s %s ", acc_get_property_string(0, acc_device_nvidia, acc_property_name),
           acc_get_property_string(0, acc_device_current, acc_property_name));
    acc_delete(a, sizeof a);
    acc_set_device_num(0, acc_device_none);
    printf("%d ", acc_deviceptr(a) == d);
    acc_set_device_num(-1, acc_device_nvidia);
    printf("%d ", acc_get_device_num(acc_device_nvidia));
    acc_init_device(1, acc_device_nvidia);
    printf("%d ", acc_get_device_num(acc_device_nvidia));
    acc_shutdown_device(0, acc_device_nvidia);
    acc_set_device_num(0, acc_device_nvidia);
    printf("%d", acc_is_present(a, 4));
}

static void between_devices(void)
{
    acc_copyin(a, sizeof a);
    acc_create(b, sizeof b);
    acc_set_device_num(1, acc_device_nvidia);
    acc_create(b, sizeof b);
    acc_memcpy_d2d(b + 1, a + 2, 8, 1, 0);
    printf("%d %d ", get(acc_deviceptr(b + 1)), get(acc_deviceptr(b + 2)));
    acc_memcpy_d2d_async(b, a + 5, 4, 1, 0, 3);
    acc_wait_device(3, 0);
    printf("%d ", get(acc_deviceptr(b)));
    acc_memcpy_d2d(b, b + 1, 4, 0, 1);
    acc_set_device_num(0, acc_device_nvidia);
    printf("%d", get(acc_deviceptr(b)));
}
static void between_devices_absent(void) { acc_create(a, 4), acc_memcpy_d2d(b, a, 4, 1, 0); }

static void too_many_devices(void) { acc_set_device_num(2, acc_device_nvidia); }
static void no_such_device(void) { acc_set_device_type(acc_device_radeon); }

static void properties(void)
{
    const int t = acc_device_nvidia;
    printf("%d %d %d ", (int)acc_get_property(0, t, acc_property_memory), (int)acc_get_property(0, t, acc_property_free_memory),
           (int)acc_get_property(0, t, acc_property_shared_memory_support));
    printf("%s %s %s ", acc_get_property_string(0, t, acc_property_name), acc_get_property_string(0, t, acc_property_vendor),
           acc_get_property_string(0, t, acc_property_driver));
    printf("%d %d ", (int)acc_get_property(0, t, acc_property_name), acc_get_property_string(0, t, acc_property_memory) == NULL);
    printf("%s %s", acc_get_property_string(0, acc_device_host, acc_property_name),
           acc_get_property_string(0, acc_device_host, acc_property_driver));
}

static void shut_down(void)
{
    acc_shutdown(acc_device_nvidia); /* nothing to end yet */
    acc_copyin(a, sizeof a);
    acc_create_async(b, sizeof b, 3);
    acc_shutdown(acc_device_nvidia);
    printf("%d %d ", acc_is_present(a, 4), acc_is_present(b, 4));
    acc_copyin(a, sizeof a);
    printf("%d", get(acc_deviceptr(a + 1)));
}

static void shut_down_inside(void)
{
    accache_data_begin("r.c", 7);
    accache_map(ACCACHE_COPY, a, sizeof a, "a", 4);
    acc_shutdown(acc_device_nvidia);
}

static void queues(void)
{
    int *const d = acc_malloc(sizeof a);
    printf("%d ", acc_async_test(5)); /* nothing ever went there */
    acc_memcpy_to_device_async(d, a, sizeof a, 5);
    printf("%d ", acc_async_test(5)); /* the mock does a piece of work for each question */
    printf("%d ", acc_async_test(5));
    acc_memcpy_to_device_async(d, a + 1, 4, 5);
    acc_memcpy_device_async(d + 4, d, 4, 6); /* before queue 5 is done: nobody waits */
    acc_wait(6);
    acc_wait(5);
    printf("%d %d ", get(d), get(d + 4));
    acc_memcpy_to_device_async(d, a + 2, 4, 5);
    acc_wait_async(5, 6);
    acc_memcpy_device_async(d + 4, d, 4, 6);
    acc_wait(6);
    printf("%d ", get(d + 4));
    acc_memcpy_to_device_async(d, a + 3, 4, 5);
    acc_wait_all_async(7);
    acc_memcpy_device_async(d + 4, d, 4, 7);
    acc_wait_all();
    printf("%d ", get(d + 4));
    acc_memcpy_to_device_async(d, a + 4, 4, 5);
    acc_wait_async(5, acc_async_sync); /* the host waits */
    printf("%d ", get(d));
    acc_memcpy_to_device_async(d, a + 5, 4, 5);
    acc_async_wait(5);
    acc_memcpy_to_device_async(d + 1, a + 6, 4, 5);
    acc_async_wait_all();
    printf("%d %d %d", get(d), get(d + 1), acc_async_test_all());
}

static void default_queue(void)
{
    int *const d = acc_malloc(sizeof a);
    const int first = acc_get_default_async();
    printf("%d ", first >= 0);
    acc_memcpy_to_device_async(d, a, 4, acc_async_noval);
    printf("%d ", acc_async_test(first));
    acc_wait(acc_async_noval);
    printf("%d ", acc_async_test(first));
    acc_set_default_async(9);
    acc_memcpy_to_device_async(d, a, 4, acc_async_noval);
    printf("%d %d %d ", acc_get_default_async(), acc_async_test(first), acc_async_test(9));
    acc_set_default_async(acc_async_default);
    printf("%d ", acc_get_default_async() == first);
    acc_set_default_async(acc_async_sync);
    set(d, 0);
    acc_memcpy_to_device_async(d, a + 7, 4, acc_async_noval);
    printf("%d", get(d));
}

static void lifetimes_in_a_queue(void)
{
    acc_copyin_async(a, sizeof a, 1);
    acc_create_async(b, sizeof b, 1);
    acc_memcpy_device_async(acc_deviceptr(b), acc_deviceptr(a), sizeof a, 1);
    a[0] = 70;
    acc_update_device_async(a, 4, 1);
    acc_update_self_async(b, 4, 1);
    acc_delete_async(a, sizeof a, 1); /* the queue still works with its memory */
    printf("%d ", acc_is_present(a, 4));
    acc_copyout_async(b, sizeof b, 1);
    acc_wait(1);
    printf("%d %d %d ", b[0], b[7], acc_is_present(b, 4));
    acc_create_async(a, 4, 2), acc_create_async(a, 4, 2);
    acc_delete_finalize_async(a, 4, 2);
    acc_create_async(b, 4, 2), acc_create_async(b, 4, 2);
    acc_copyout_finalize_async(b, 4, 2);
    printf("%d %d ", acc_is_present(a, 4), acc_is_present(b, 4));
    struct list s = {a, 1, b};
    acc_copyin_async(&s, sizeof s, 2), acc_create_async(a, 4, 2);
    acc_attach_async((void **)&s.p, 2);
    acc_detach_async((void **)&s.p, 2);
    acc_attach_async((void **)&s.p, 2);
    acc_detach_finalize_async((void **)&s.p, 2);
    int *there;
    acc_memcpy_from_device_async(&there, acc_deviceptr(&s), sizeof there, 2);
    acc_wait(2);
    printf("%d", there == a);
}

static void wait_any(void)
{
    int queues[] = {3, acc_async_sync, 4};
    int *const d = acc_malloc(sizeof a);
    for (int i = 0; i < 5; i++)
        acc_memcpy_to_device_async(d, a, 4, 3);
    acc_memcpy_to_device_async(d + 1, a, 4, 4);
    const int first = acc_wait_any(3, queues);
    printf("%d ", first);
    queues[first] = acc_async_sync;
    const int second = acc_wait_any(3, queues);
    printf("%d ", second);
    queues[second] = acc_async_sync;
    printf("%d", acc_wait_any(3, queues));
}

static void queues_of_devices(void)
{
    int *const d = acc_malloc(sizeof a);
    set(d, -1);
    acc_memcpy_to_device_async(d, a + 1, 4, 5);
    acc_set_device_num(1, acc_device_nvidia);
    int *const e = acc_malloc(sizeof a);
    printf("%d %d ", acc_async_test(5), acc_async_test_device(5, 0));
    acc_memcpy_to_device_async(e, a + 2, 4, 5);
    acc_wait_device_async(5, 6, 0); /* queue 6 of device 1 waits for queue 5 of device 0 */
    acc_memcpy_device_async(e + 1, d, 4, 6);
    acc_wait(6);
    printf("%d %d ", get(e + 1), acc_async_test_all_device(0));
    acc_set_device_num(0, acc_device_nvidia);
    acc_memcpy_to_device_async(d, a + 3, 4, 8);
    acc_set_device_num(1, acc_device_nvidia);
    acc_wait_all_device_async(6, 0);
    acc_memcpy_device_async(e + 1, d, 4, 6);
    acc_wait_all_device(1);
    printf("%d ", get(e + 1));
    acc_wait_device(8, 0);
    int all[] = {8};
    printf("%d", acc_wait_any_device(1, all, 0));
}

static void bad_queue(void) { acc_wait(-7); }

static void streams(void)
{
    void *const stream = acc_get_cuda_stream(1);
    printf("%d %d %d ", stream != NULL, acc_get_cuda_stream(1) == stream, acc_get_cuda_stream(2) != stream);
    printf("%d ", acc_set_cuda_stream(2, stream));
    printf("%d ", acc_get_cuda_stream(2) == stream);
    int *const d = acc_malloc(4);
    acc_memcpy_to_device_async(d, a + 1, 4, 2);
    printf("%d ", acc_async_test(1)); /* they are one queue now */
    acc_wait(1);
    printf("%d %d ", get(d), acc_set_cuda_stream(acc_async_sync, stream));
    printf("%d ", *(int *)acc_get_current_cuda_device() == 0); /* CUDA's handle of device 0 */
    printf("%d", acc_get_current_cuda_context() != NULL);
}

static void out_of_memory(void) { acc_create(a, (size_t)1 << 40); }

static void memory_waits_in_queues(void) /* what a queue still holds is given back before there is none left */
{
    static char large[600];
    for (int i = 0; i < 5; i++) {
        acc_copyin_async(large, sizeof large, i);
        acc_delete_async(large, sizeof large, i);
    }
    printf("fits");
}

#define TEST(name) {#name, name}
static const struct { const char *name; void (*run)(void); } tests[] = {
    TEST(copyin_copyout), TEST(finalize), TEST(aliases), TEST(update), TEST(absent_update), TEST(addresses), TEST(partly),
    TEST(memory), TEST(map), TEST(map_present), TEST(map_twice), TEST(map_around), TEST(unmap_created), TEST(unmap_inside),
    TEST(unmap_in_use), TEST(free_mapped), TEST(attach), TEST(attach_null), TEST(device_types), TEST(host_shares_its_memory),
    TEST(a_region_ends_where_it_began), TEST(two_devices), TEST(between_devices), TEST(between_devices_absent), TEST(too_many_devices), TEST(no_such_device), TEST(properties),
    TEST(shut_down), TEST(shut_down_inside), TEST(queues), TEST(default_queue), TEST(lifetimes_in_a_queue), TEST(wait_any),
    TEST(queues_of_devices), TEST(bad_queue), TEST(streams), TEST(out_of_memory), TEST(memory_waits_in_queues),
};

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (count > 1 && !strcmp(arguments[1], tests[i].name))
            return tests[i].run(), 0;
    return 2;
}
