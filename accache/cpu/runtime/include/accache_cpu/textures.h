// Textures and surfaces that hold nothing: reads give zeros, and writes are lost. Runs that only take launches down have
// them (ACCACHE_CPU_TEXTURES), so that the other kernels of a program are launched; all other runs refuse textures.
#pragma once

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone
};
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };

struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
    unsigned flags;
};
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08

#ifdef __cplusplus
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

namespace accache_cpu {

// Something that is not null, for what a program only hands on.
template <class Handle>
cudaError_t made(Handle *handle) {
    *handle = (Handle)1;
    return cudaSuccess;
}

}  // namespace accache_cpu

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
    return {8 * (int)sizeof(T), 0, 0, 0, cudaChannelFormatKindNone};
}

template <class... Arguments>
cudaError_t cudaMallocArray(cudaArray_t *array, Arguments &&...) {
    return accache_cpu::made(array);
}
template <class... Arguments>
cudaError_t cudaMalloc3DArray(cudaArray_t *array, Arguments &&...) {
    return accache_cpu::made(array);
}
template <class... Arguments>
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, Arguments &&...) {
    return accache_cpu::made(array);
}
inline cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_t, unsigned) {
    return accache_cpu::made(array);
}
template <class... Arguments>
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, Arguments &&...) {
    return accache_cpu::made(texture);
}
template <class... Arguments>
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, Arguments &&...) {
    return accache_cpu::made(surface);
}

#define ACCACHE_CPU_NOTHING(name)          \
    template <class... Arguments>          \
    cudaError_t name(Arguments &&...) {    \
        return cudaSuccess;                \
    }
ACCACHE_CPU_NOTHING(cudaFreeArray)
ACCACHE_CPU_NOTHING(cudaFreeMipmappedArray)
ACCACHE_CPU_NOTHING(cudaDestroyTextureObject)
ACCACHE_CPU_NOTHING(cudaDestroySurfaceObject)
ACCACHE_CPU_NOTHING(cudaMemcpyToArray)
ACCACHE_CPU_NOTHING(cudaMemcpyFromArray)
ACCACHE_CPU_NOTHING(cudaMemcpy2DToArray)
ACCACHE_CPU_NOTHING(cudaMemcpy2DFromArray)
ACCACHE_CPU_NOTHING(cudaMemcpy2DToArrayAsync)
ACCACHE_CPU_NOTHING(cudaMemcpy2DFromArrayAsync)
#undef ACCACHE_CPU_NOTHING

// A read gives its value, or writes it to where its first argument leads.
#define ACCACHE_CPU_READ(name)                                        \
    template <class T, class... Arguments>                            \
    T name(unsigned long long, Arguments...) {                        \
        return T{};                                                   \
    }                                                                 \
    template <class T, class... Arguments>                            \
    void name(T *value, unsigned long long, Arguments...) {           \
        *value = T{};                                                 \
    }
#define ACCACHE_CPU_WRITE(name)                                       \
    template <class T, class... Arguments>                            \
    void name(T, unsigned long long, Arguments...) {}
ACCACHE_CPU_READ(tex1Dfetch)
ACCACHE_CPU_READ(tex1D)
ACCACHE_CPU_READ(tex1DLod)
ACCACHE_CPU_READ(tex1DGrad)
ACCACHE_CPU_READ(tex1DLayered)
ACCACHE_CPU_READ(tex2D)
ACCACHE_CPU_READ(tex2DLod)
ACCACHE_CPU_READ(tex2DGrad)
ACCACHE_CPU_READ(tex2DLayered)
ACCACHE_CPU_READ(tex2Dgather)
ACCACHE_CPU_READ(tex3D)
ACCACHE_CPU_READ(tex3DLod)
ACCACHE_CPU_READ(tex3DGrad)
ACCACHE_CPU_READ(texCubemap)
ACCACHE_CPU_READ(texCubemapLod)
ACCACHE_CPU_READ(texCubemapLayered)
ACCACHE_CPU_READ(surf1Dread)
ACCACHE_CPU_READ(surf2Dread)
ACCACHE_CPU_READ(surf3Dread)
ACCACHE_CPU_READ(surf1DLayeredread)
ACCACHE_CPU_READ(surf2DLayeredread)
ACCACHE_CPU_WRITE(surf1Dwrite)
ACCACHE_CPU_WRITE(surf2Dwrite)
ACCACHE_CPU_WRITE(surf3Dwrite)
ACCACHE_CPU_WRITE(surf1DLayeredwrite)
ACCACHE_CPU_WRITE(surf2DLayeredwrite)
#undef ACCACHE_CPU_READ
#undef ACCACHE_CPU_WRITE
#endif
