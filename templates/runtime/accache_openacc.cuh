// accache run-time, part 5: the routines of openacc.h (OpenACC 3.3, chapter 3).
#ifndef ACCACHE_OPENACC_CUH
#define ACCACHE_OPENACC_CUH
#ifndef ACCACHE_ROUTINES_CUH
#include "accache_routines.cuh"
#endif

// Called from C, so they are emitted even if nothing here calls them. Of C linkage, they belong to no namespace.
#define ACCACHE_ROUTINE extern "C" inline __attribute__((used))
#define ACCACHE_SCOPE const Routine scope(__func__)

namespace accache {

// ---- Devices ----

ACCACHE_ROUTINE int acc_get_num_devices(acc_device_t type)
{
    ACCACHE_SCOPE;
    if (type == acc_device_none || type == acc_device_radeon)
        return 0;
    return means_host(type) ? 1 : device_count();
}
ACCACHE_ROUTINE void acc_set_device_type(acc_device_t type)
{
    ACCACHE_SCOPE;
    choose(means_host(type), selection().number);
}
ACCACHE_ROUTINE acc_device_t acc_get_device_type(void)
{
    ACCACHE_SCOPE;
    return on_host() ? acc_device_host : acc_device_nvidia;
}
ACCACHE_ROUTINE void acc_set_device_num(int number, acc_device_t type) { ACCACHE_SCOPE; choose_number(number, type); }
ACCACHE_ROUTINE int acc_get_device_num(acc_device_t type)
{
    ACCACHE_SCOPE;
    return means_host(type) ? 0 : selection().number;
}
ACCACHE_ROUTINE size_t acc_get_property(int number, acc_device_t type, acc_device_property_t property)
{
    ACCACHE_SCOPE;
    const OnDevice there(means_host(type), device_asked(number, type));
    return number_property(property);
}
ACCACHE_ROUTINE const char *acc_get_property_string(int number, acc_device_t type, acc_device_property_t property)
{
    ACCACHE_SCOPE;
    const OnDevice there(means_host(type), device_asked(number, type));
    return string_property(property);
}
ACCACHE_ROUTINE void acc_init(acc_device_t type) { ACCACHE_SCOPE; initialise(type, selection().number); }
ACCACHE_ROUTINE void acc_init_device(int number, acc_device_t type) { ACCACHE_SCOPE; initialise(type, number); }
ACCACHE_ROUTINE void acc_shutdown(acc_device_t type) { ACCACHE_SCOPE; shut_down_all(type); }
ACCACHE_ROUTINE void acc_shutdown_device(int number, acc_device_t type)
{
    ACCACHE_SCOPE;
    shut_down_device(number, type);
}
// In kernels it is accache_on_device.
ACCACHE_ROUTINE int acc_on_device(acc_device_t type) { return type == acc_device_host; }

// ---- Queues ----

ACCACHE_ROUTINE int acc_async_test(int queue) { ACCACHE_SCOPE; return test(queue, -1); }
ACCACHE_ROUTINE int acc_async_test_device(int queue, int number) { ACCACHE_SCOPE; return test(queue, number); }
ACCACHE_ROUTINE int acc_async_test_all(void) { ACCACHE_SCOPE; return test_all(-1); }
ACCACHE_ROUTINE int acc_async_test_all_device(int number) { ACCACHE_SCOPE; return test_all(number); }
ACCACHE_ROUTINE void acc_wait(int queue) { ACCACHE_SCOPE; wait_for(queue, -1, ACCACHE_SYNC); }
ACCACHE_ROUTINE void acc_wait_device(int queue, int number) { ACCACHE_SCOPE; wait_for(queue, number, ACCACHE_SYNC); }
ACCACHE_ROUTINE void acc_wait_async(int waited, int queue) { ACCACHE_SCOPE; wait_for(waited, -1, queue); }
ACCACHE_ROUTINE void acc_wait_device_async(int waited, int queue, int number)
{
    ACCACHE_SCOPE;
    wait_for(waited, number, queue);
}
ACCACHE_ROUTINE int acc_wait_any(int count, int *queues) { ACCACHE_SCOPE; return wait_any(count, queues, -1); }
ACCACHE_ROUTINE int acc_wait_any_device(int count, int *queues, int number)
{
    ACCACHE_SCOPE;
    return wait_any(count, queues, number);
}
ACCACHE_ROUTINE void acc_wait_all(void) { ACCACHE_SCOPE; wait_for(ACCACHE_ALL_QUEUES, -1, ACCACHE_SYNC); }
ACCACHE_ROUTINE void acc_wait_all_device(int number)
{
    ACCACHE_SCOPE;
    wait_for(ACCACHE_ALL_QUEUES, number, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_wait_all_async(int queue) { ACCACHE_SCOPE; wait_for(ACCACHE_ALL_QUEUES, -1, queue); }
ACCACHE_ROUTINE void acc_wait_all_device_async(int queue, int number)
{
    ACCACHE_SCOPE;
    wait_for(ACCACHE_ALL_QUEUES, number, queue);
}
ACCACHE_ROUTINE int acc_get_default_async(void) { ACCACHE_SCOPE; return selection().queue; }
ACCACHE_ROUTINE void acc_set_default_async(int queue) { ACCACHE_SCOPE; selection().queue = meant_by(queue); }
ACCACHE_ROUTINE void acc_async_wait(int queue) { ACCACHE_SCOPE; wait_for(queue, -1, ACCACHE_SYNC); }
ACCACHE_ROUTINE void acc_async_wait_all(void) { ACCACHE_SCOPE; wait_for(ACCACHE_ALL_QUEUES, -1, ACCACHE_SYNC); }

// ---- Data ----

ACCACHE_ROUTINE void *acc_malloc(size_t bytes) { ACCACHE_SCOPE; return on_host() ? malloc(bytes) : give_memory(bytes); }
ACCACHE_ROUTINE void acc_free(void *memory) { ACCACHE_SCOPE; on_host() ? free(memory) : take_memory_back(memory); }
ACCACHE_ROUTINE void *acc_copyin(void *host, size_t bytes)
{
    ACCACHE_SCOPE;
    return begin_lifetime(ACCACHE_COPYIN, host, bytes, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_copyin_async(void *host, size_t bytes, int queue)
{
    ACCACHE_SCOPE;
    begin_lifetime(ACCACHE_COPYIN, host, bytes, queue);
}
ACCACHE_ROUTINE void *acc_create(void *host, size_t bytes)
{
    ACCACHE_SCOPE;
    return begin_lifetime(ACCACHE_CREATE, host, bytes, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_create_async(void *host, size_t bytes, int queue)
{
    ACCACHE_SCOPE;
    begin_lifetime(ACCACHE_CREATE, host, bytes, queue);
}
ACCACHE_ROUTINE void *acc_present_or_copyin(void *host, size_t bytes) { return acc_copyin(host, bytes); }
ACCACHE_ROUTINE void *acc_pcopyin(void *host, size_t bytes) { return acc_copyin(host, bytes); }
ACCACHE_ROUTINE void *acc_present_or_create(void *host, size_t bytes) { return acc_create(host, bytes); }
ACCACHE_ROUTINE void *acc_pcreate(void *host, size_t bytes) { return acc_create(host, bytes); }
ACCACHE_ROUTINE void acc_copyout(void *host, size_t bytes)
{
    ACCACHE_SCOPE;
    end_lifetime(ACCACHE_COPYOUT, false, host, bytes, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_copyout_async(void *host, size_t bytes, int queue)
{
    ACCACHE_SCOPE;
    end_lifetime(ACCACHE_COPYOUT, false, host, bytes, queue);
}
ACCACHE_ROUTINE void acc_copyout_finalize(void *host, size_t bytes)
{
    ACCACHE_SCOPE;
    end_lifetime(ACCACHE_COPYOUT, true, host, bytes, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_copyout_finalize_async(void *host, size_t bytes, int queue)
{
    ACCACHE_SCOPE;
    end_lifetime(ACCACHE_COPYOUT, true, host, bytes, queue);
}
ACCACHE_ROUTINE void acc_delete(void *host, size_t bytes)
{
    ACCACHE_SCOPE;
    end_lifetime(ACCACHE_DELETE, false, host, bytes, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_delete_async(void *host, size_t bytes, int queue)
{
    ACCACHE_SCOPE;
    end_lifetime(ACCACHE_DELETE, false, host, bytes, queue);
}
ACCACHE_ROUTINE void acc_delete_finalize(void *host, size_t bytes)
{
    ACCACHE_SCOPE;
    end_lifetime(ACCACHE_DELETE, true, host, bytes, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_delete_finalize_async(void *host, size_t bytes, int queue)
{
    ACCACHE_SCOPE;
    end_lifetime(ACCACHE_DELETE, true, host, bytes, queue);
}
ACCACHE_ROUTINE void acc_update_device(void *host, size_t bytes)
{
    ACCACHE_SCOPE;
    update(host, bytes, cudaMemcpyHostToDevice, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_update_device_async(void *host, size_t bytes, int queue)
{
    ACCACHE_SCOPE;
    update(host, bytes, cudaMemcpyHostToDevice, queue);
}
ACCACHE_ROUTINE void acc_update_self(void *host, size_t bytes)
{
    ACCACHE_SCOPE;
    update(host, bytes, cudaMemcpyDeviceToHost, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_update_self_async(void *host, size_t bytes, int queue)
{
    ACCACHE_SCOPE;
    update(host, bytes, cudaMemcpyDeviceToHost, queue);
}
ACCACHE_ROUTINE void acc_map_data(void *host, void *memory, size_t bytes)
{
    ACCACHE_SCOPE;
    map_data(host, memory, bytes);
}
ACCACHE_ROUTINE void acc_unmap_data(void *host) { ACCACHE_SCOPE; unmap_data(host); }
ACCACHE_ROUTINE void *acc_deviceptr(void *host) { ACCACHE_SCOPE; return device_address(host); }
ACCACHE_ROUTINE void *acc_hostptr(void *memory) { ACCACHE_SCOPE; return host_address(memory); }
ACCACHE_ROUTINE int acc_is_present(void *host, size_t bytes) { ACCACHE_SCOPE; return is_present(host, bytes); }
ACCACHE_ROUTINE void acc_memcpy_to_device(void *memory, void *host, size_t bytes)
{
    ACCACHE_SCOPE;
    copy_bytes(memory, host, bytes, cudaMemcpyHostToDevice, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_memcpy_to_device_async(void *memory, void *host, size_t bytes, int queue)
{
    ACCACHE_SCOPE;
    copy_bytes(memory, host, bytes, cudaMemcpyHostToDevice, queue);
}
ACCACHE_ROUTINE void acc_memcpy_from_device(void *host, void *memory, size_t bytes)
{
    ACCACHE_SCOPE;
    copy_bytes(host, memory, bytes, cudaMemcpyDeviceToHost, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_memcpy_from_device_async(void *host, void *memory, size_t bytes, int queue)
{
    ACCACHE_SCOPE;
    copy_bytes(host, memory, bytes, cudaMemcpyDeviceToHost, queue);
}
ACCACHE_ROUTINE void acc_memcpy_device(void *to, void *from, size_t bytes)
{
    ACCACHE_SCOPE;
    copy_bytes(to, from, bytes, cudaMemcpyDeviceToDevice, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_memcpy_device_async(void *to, void *from, size_t bytes, int queue)
{
    ACCACHE_SCOPE;
    copy_bytes(to, from, bytes, cudaMemcpyDeviceToDevice, queue);
}
ACCACHE_ROUTINE void acc_memcpy_d2d(void *to, void *from, size_t bytes, int device_to, int device_from)
{
    ACCACHE_SCOPE;
    copy_between(to, from, bytes, device_to, device_from, ACCACHE_SYNC);
}
ACCACHE_ROUTINE void acc_memcpy_d2d_async(void *to, void *from, size_t bytes, int device_to, int device_from, int queue)
{
    ACCACHE_SCOPE;
    copy_between(to, from, bytes, device_to, device_from, queue);
}
ACCACHE_ROUTINE void acc_attach(void **pointer) { ACCACHE_SCOPE; attach(pointer, ACCACHE_SYNC); }
ACCACHE_ROUTINE void acc_attach_async(void **pointer, int queue) { ACCACHE_SCOPE; attach(pointer, queue); }
ACCACHE_ROUTINE void acc_detach(void **pointer) { ACCACHE_SCOPE; detach(pointer, false, ACCACHE_SYNC); }
ACCACHE_ROUTINE void acc_detach_async(void **pointer, int queue) { ACCACHE_SCOPE; detach(pointer, false, queue); }
ACCACHE_ROUTINE void acc_detach_finalize(void **pointer) { ACCACHE_SCOPE; detach(pointer, true, ACCACHE_SYNC); }
ACCACHE_ROUTINE void acc_detach_finalize_async(void **pointer, int queue)
{
    ACCACHE_SCOPE;
    detach(pointer, true, queue);
}

// ---- CUDA (appendix A.2) ----

ACCACHE_ROUTINE void *acc_get_current_cuda_device(void) { ACCACHE_SCOPE; return current_cuda_device(); }
ACCACHE_ROUTINE void *acc_get_current_cuda_context(void) { ACCACHE_SCOPE; return current_context(); }
ACCACHE_ROUTINE void *acc_get_cuda_stream(int queue)
{
    ACCACHE_SCOPE;
    return on_host() ? nullptr : queue_of(queue).stream;
}
ACCACHE_ROUTINE int acc_set_cuda_stream(int queue, void *stream)
{
    ACCACHE_SCOPE;
    return set_stream(queue, static_cast<cudaStream_t>(stream));
}

} // namespace accache

#undef ACCACHE_ROUTINE
#undef ACCACHE_SCOPE
#endif
