// Obeys commands on stdin, one a line, and prints host arrays and a sum at the end: see test_queues.py.
#include "accache_launch.cuh"
#include "accache_runtime.h"

#include <functional>

#include "accache_openacc.cuh"

enum { ARRAYS = 3, LENGTH = 4 };
static int host[ARRAYS][LENGTH], total;

static int *device_of(int array) { return static_cast<int *>(accache_device_pointer(host[array], "array")); }

static void launch(cudaStream_t stream, std::function<void()> kernel)
{
    const auto run = [](void *work) {
        (*static_cast<std::function<void()> *>(work))();
        delete static_cast<std::function<void()> *>(work);
    };
    cudaLaunchHostFunc(stream, run, new std::function<void()>(std::move(kernel)));
}

static void kernel(int queue, int array, int other)
{
    int *const a = device_of(array), *const b = device_of(other);
    launch(static_cast<cudaStream_t>(acc_get_cuda_stream(queue)), [=] {
        mock_must_live(a, sizeof *host);
        mock_must_live(b, sizeof *host);
        for (int i = 0; i < LENGTH; ++i)
            a[i] = (3 * a[i] + b[i] + 1) % 1000003;
    });
    accache_wait("q.cu", 1);
}

struct Sum {
    using Value = int;
    int operator()(int left, int right) const { return (left + right) % 1000003; }
};

static void sum(int queue, int array)
{
    accache_data_begin("q.cu", 2);
    accache_async(queue);
    int *const a = device_of(array), *const partials = accache_partials<int>(LENGTH);
    launch(accache_stream(), [=] {
        mock_must_live(a, sizeof *host);
        mock_must_live(partials, sizeof *host);
        *partials = 0;
        for (int i = 0; i < LENGTH; ++i)
            *partials = Sum()(*partials, a[i]);
    });
    accache_combine<Sum>(&total, partials, 1);
    accache_data_end();
}

static void region(int queue, int array)
{
    accache_data_begin("q.cu", 3);
    accache_async(queue);
    accache_map(ACCACHE_COPY, host[array], sizeof *host, "array", sizeof **host);
}

static void directive(char what, int queue, int array)
{
    accache_async_begin(queue, "q.cu", 4);
    if (what == 'n')
        accache_enter_data(ACCACHE_COPYIN, host[array], sizeof *host, "array", sizeof **host, "q.cu", 5);
    else if (what == 'x')
        accache_exit_data(ACCACHE_COPYOUT, 0, host[array], sizeof *host, "array", "q.cu", 6);
    else if (what == 'u')
        accache_update_device(host[array], sizeof *host, 0, "array", "q.cu", 7);
    else
        accache_update_host(host[array], sizeof *host, 0, "array", "q.cu", 8);
    accache_async_end();
}

int main()
{
    char what;
    int first, second, third;
    for (int i = 0; i < ARRAYS * LENGTH; ++i)
        host[i / LENGTH][i % LENGTH] = 100 + i;
    while (scanf(" %c %d %d %d", &what, &first, &second, &third) == 4)
        switch (what) {
        case 'k': kernel(first, second, third); break;
        case 's': sum(first, second); break;
        case 'r': region(first, second); break;
        case 'e': accache_data_end(); break;
        case 'w': accache_wait_for(first, -1, second, "q.cu", 9); break;
        case 'h': host[first][second] += third; break;
        default: directive(what, first, second);
        }
    accache_wait_for(ACCACHE_ALL_QUEUES, -1, ACCACHE_SYNC, "q.cu", 10);
    for (int i = 0; i < ARRAYS * LENGTH; ++i)
        printf("%d ", host[i / LENGTH][i % LENGTH]);
    printf("%d", total);
}
