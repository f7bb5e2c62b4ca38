/* accache run-time: what translated host code calls. Implementation: accache_runtime.cuh. */
#ifndef ACCACHE_RUNTIME_H
#define ACCACHE_RUNTIME_H
#include <stddef.h>

/* Data clauses. In the calls below host is the first byte of a clause's section and name its variable, for messages.
   bytes = ACCACHE_WHOLE is "all of the present data around host", for a clause that names a pointer without length. */
enum accache_action {
    ACCACHE_CREATE, ACCACHE_COPYIN, ACCACHE_COPYOUT, ACCACHE_COPY, ACCACHE_PRESENT, ACCACHE_NO_CREATE, ACCACHE_DELETE,
    ACCACHE_ACTION = 15,
    ACCACHE_ZERO = 16,      /* with an action: fill new device memory with zeros, */
    ACCACHE_ALWAYS_IN = 32, /* upload present data too, */
    ACCACHE_ALWAYS_OUT = 64, /* download data that stays present too, */
    ACCACHE_PART = 128, /* be content with a section of the array if that is present, */
    ACCACHE_MEMBERS = 256, /* and with those members of the structure that are */
    ACCACHE_DEVICE_MEMORY = 512 /* what is not present is no memory of the host */
};
#define ACCACHE_WHOLE ((size_t)-1)

/* Queues: what an async clause names, or one of these. */
#define ACCACHE_NOVAL (-1)      /* async without an argument */
#define ACCACHE_SYNC (-2)       /* no queue: the host waits */
#define ACCACHE_ALL_QUEUES (-3) /* only to wait for */

#ifdef __cplusplus
extern "C" {
#endif
/* Structured data: begin, a map for each clause, end. Regions nest. accache_map: device address of host, or NULL. */
void accache_data_begin(const char *file, int line);
void *accache_map(int action, const void *host, size_t bytes, const char *name, size_t element_bytes);
void accache_data_end(void);
/* What is mapped next is a member of this structure: its members lie on the device as they do on the host. */
void accache_structure(const void *host, size_t bytes);
/* Pointers in device memory, after the maps of their targets: attached until the region's end. A section that does not
   begin with its array: accache_array(array, first) lets the array's address stand for it. */
void accache_attach(const void *pointer);
void accache_array(const void *array, const void *first);
/* Unstructured data. */
void accache_enter_data(int action, const void *host, size_t bytes, const char *name, size_t element_bytes,
                        const char *file, int line);
void accache_exit_data(int action, int finalize, const void *host, size_t bytes, const char *name, const char *file,
                       int line);
/* Deletes a pointer variable that enter data named without a length, or all of the present data that it leads to. */
void accache_exit_pointer(int finalize, const void *pointer, const void *target, const char *name, const char *file,
                          int line);
/* A pointer in a structure, mapped as long as what it leads to is: after accache_structure if it is to be made. */
void accache_enter_pointer(const void *pointer, const char *name, const char *file, int line);
void accache_leave_pointer(int finalize, const void *pointer, const char *name, const char *file, int line);
void accache_enter_attach(const void *pointer, const char *file, int line);
void accache_exit_detach(const void *pointer, int finalize, const char *file, int line);
void accache_update_device(const void *host, size_t bytes, int if_present, const char *name, const char *file,
                           int line);
void accache_update_host(void *host, size_t bytes, int if_present, const char *name, const char *file, int line);
/* Rows of width bytes, pitch bytes from one to the next. */
void accache_update_rows(int to_device, void *first, size_t width, size_t rows, size_t pitch, int if_present,
                         const char *name, const char *file, int line);
/* The address for host_data: on the device if the condition holds, the host's otherwise. */
void *accache_use_device(int condition, const void *host, const char *name, int if_present, const char *file, int line);
void *accache_device_pointer(const void *host, const char *name); /* of present data; anything else is an error */
void accache_contiguous(int whole, const char *section, const char *file, int line); /* an error unless rows are whole */
void accache_at(const char *file, int line); /* where a directive stands whose work a routine of openacc.h does */
void accache_wait(const char *file, int line); /* until the construct's kernels have finished, unless it has a queue */
/* Queues: of the region just begun; of what stands between begin and end; one that waits for one of a device (or for
   ACCACHE_ALL_QUEUES of it). It is the host that waits for ACCACHE_SYNC; a negative device is the current one. */
void accache_async(int queue);
void accache_async_begin(int queue, const char *file, int line);
void accache_async_end(void);
void accache_wait_for(int queue, int device, int waiting, const char *file, int line);
/* declare: for a static variable, when the program starts; for others, until the function that declares them returns. */
void accache_declare(int action, const void *host, size_t bytes, const char *name, size_t element_bytes,
                     const char *file, int line);
/* A variable that routines use: place() lets their pointer lead to its copy on the device, in a CUDA stream. */
void accache_resident(const void *host, size_t bytes, const char *name, int is_pointer,
                      int (*place)(const void *address, void *queue), const char *file, int line);
#ifdef __cplusplus
}
struct accache_until_return { ~accache_until_return() { accache_data_end(); } };
#define ACCACHE_UNTIL_RETURN(name) const accache_until_return name
#else
#define ACCACHE_UNTIL_RETURN(name) __attribute__((cleanup(accache_until_return), unused)) const char name = 0
static __inline__ void accache_until_return(const char *name) { (void)name; accache_data_end(); }
#endif
#endif
