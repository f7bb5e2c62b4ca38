// What -fsanitize=alignment tells of an access by a pointer to a type that has to be aligned. A CPU reads such memory, too; a
// GPU ends the kernel.
#pragma once

#include <cstdint>

namespace accache_cpu {

struct Mismatch {
    struct Type {
        uint16_t kind, info;
        char name[1];
    };
    const char *file;
    uint32_t line, column;
    const Type *type;
    unsigned char log_alignment, access;

    // Others take an address, and access nothing yet.
    bool is_access() const { return access <= 1; }
    bool is_store() const { return access == 1; }
    unsigned bytes() const { return 1u << log_alignment; }
};

}  // namespace accache_cpu
