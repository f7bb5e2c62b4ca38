// Complex numbers of C in kernels: two elements, which lie as those of the C compiler and compute as gcc's do.
#ifndef ACCACHE_COMPLEX_CUH
#define ACCACHE_COMPLEX_CUH
#include <cfloat>
#include <cmath>

template <class Real> struct accache_complex { // no constructors: arrays of it may be shared memory
    Real re, im;
    __host__ __device__ explicit operator bool() const { return re != 0 || im != 0; }
    template <class Other> __host__ __device__ operator accache_complex<Other>() const
    {
        return {Other(re), Other(im)};
    }
    __host__ __device__ accache_complex &operator=(Real x)
    {
        re = x, im = 0;
        return *this;
    }

    // With a real operand C computes on the parts that there are.
    friend __host__ __device__ accache_complex operator+(accache_complex z) { return z; }
    friend __host__ __device__ accache_complex operator-(accache_complex z) { return {-z.re, -z.im}; }
    friend __host__ __device__ accache_complex operator+(accache_complex z, accache_complex w)
    {
        return {z.re + w.re, z.im + w.im};
    }
    friend __host__ __device__ accache_complex operator+(accache_complex z, Real x) { return {z.re + x, z.im}; }
    friend __host__ __device__ accache_complex operator+(Real x, accache_complex z) { return {x + z.re, z.im}; }
    friend __host__ __device__ accache_complex operator-(accache_complex z, accache_complex w)
    {
        return {z.re - w.re, z.im - w.im};
    }
    friend __host__ __device__ accache_complex operator-(accache_complex z, Real x) { return {z.re - x, z.im}; }
    friend __host__ __device__ accache_complex operator-(Real x, accache_complex z) { return {x - z.re, -z.im}; }
    friend __host__ __device__ accache_complex operator*(accache_complex z, accache_complex w)
    {
        return accache_product(z, w);
    }
    friend __host__ __device__ accache_complex operator*(accache_complex z, Real x) { return {z.re * x, z.im * x}; }
    friend __host__ __device__ accache_complex operator*(Real x, accache_complex z) { return {x * z.re, x * z.im}; }
    friend __host__ __device__ accache_complex operator/(accache_complex z, accache_complex w)
    {
        return accache_quotient(z, w);
    }
    friend __host__ __device__ accache_complex operator/(Real x, accache_complex z)
    {
        return accache_quotient(accache_complex{x, 0}, z);
    }
    friend __host__ __device__ accache_complex operator/(accache_complex z, Real x) { return {z.re / x, z.im / x}; }
    friend __host__ __device__ bool operator==(accache_complex z, accache_complex w)
    {
        return z.re == w.re && z.im == w.im;
    }
    friend __host__ __device__ bool operator==(accache_complex z, Real x) { return z.re == x && z.im == 0; }
    friend __host__ __device__ bool operator==(Real x, accache_complex z) { return z == x; }
    friend __host__ __device__ bool operator!=(accache_complex z, accache_complex w) { return !(z == w); }
    friend __host__ __device__ bool operator!=(accache_complex z, Real x) { return !(z == x); }
    friend __host__ __device__ bool operator!=(Real x, accache_complex z) { return !(z == x); }
    template <class Value> __host__ __device__ accache_complex &operator+=(Value value) { return *this = *this + value; }
    template <class Value> __host__ __device__ accache_complex &operator-=(Value value) { return *this = *this - value; }
    template <class Value> __host__ __device__ accache_complex &operator*=(Value value) { return *this = *this * value; }
    template <class Value> __host__ __device__ accache_complex &operator/=(Value value) { return *this = *this / value; }
};

template <class Real> __host__ __device__ inline Real accache_creal(accache_complex<Real> z) { return z.re; }
template <class Real> __host__ __device__ inline Real accache_cimag(accache_complex<Real> z) { return z.im; }
__host__ __device__ inline float accache_cabs(accache_complex<float> z) { return hypotf(z.re, z.im); }
__host__ __device__ inline double accache_cabs(accache_complex<double> z) { return hypot(z.re, z.im); }
template <class Real> __host__ __device__ inline accache_complex<Real> accache_conj(accache_complex<Real> z)
{
    return {z.re, -z.im};
}

// ---- Products and quotients ----

#ifdef __CUDA_ARCH__ // each product is rounded: the compiler makes no fused operation of it
__device__ inline float accache_rounded(float x, float y) { return __fmul_rn(x, y); }
__device__ inline double accache_rounded(double x, double y) { return __dmul_rn(x, y); }
#else
template <class Real> inline Real accache_rounded(Real x, Real y) { return x * y; }
#endif

// An infinite number has one part that is 1 or -1 here, any other has zeros.
template <class Real> __host__ __device__ inline accache_complex<Real> accache_direction(accache_complex<Real> z)
{
    return {Real(copysign(Real(isinf(z.re) ? 1 : 0), z.re)), Real(copysign(Real(isinf(z.im) ? 1 : 0), z.im))};
}

// Zeros in the place of what is no number.
template <class Real> __host__ __device__ inline accache_complex<Real> accache_numbers(accache_complex<Real> z)
{
    return {isnan(z.re) ? Real(copysign(Real(0), z.re)) : z.re, isnan(z.im) ? Real(copysign(Real(0), z.im)) : z.im};
}

template <class Real> __host__ __device__ inline bool accache_infinite(accache_complex<Real> z)
{
    return isinf(z.re) || isinf(z.im);
}

template <class Real> __host__ __device__ inline bool accache_finite(accache_complex<Real> z)
{
    return isfinite(z.re) && isfinite(z.im);
}

// A product whose parts are both no numbers is infinite if a factor or a partial product is (C17, annex G.5.1).
template <class Real>
__host__ __device__ accache_complex<Real> accache_recovered(
    accache_complex<Real> z, accache_complex<Real> w, accache_complex<Real> product, bool overflows)
{
    const bool first = accache_infinite(z), second = accache_infinite(w);
    if (!first && !second && !overflows)
        return product;
    if (first)
        z = accache_direction(z);
    if (second)
        w = accache_direction(w);
    z = accache_numbers(z);
    w = accache_numbers(w);
    const Real infinite = Real(HUGE_VAL);
    return {infinite * (z.re * w.re - z.im * w.im), infinite * (z.re * w.im + z.im * w.re)};
}

template <class Real>
__host__ __device__ inline accache_complex<Real> accache_product(accache_complex<Real> z, accache_complex<Real> w)
{
    const Real rr = accache_rounded(z.re, w.re), ii = accache_rounded(z.im, w.im);
    const Real ri = accache_rounded(z.re, w.im), ir = accache_rounded(z.im, w.re);
    const accache_complex<Real> product = {rr - ii, ri + ir};
    if (!isnan(product.re) || !isnan(product.im))
        return product;
    return accache_recovered(z, w, product, isinf(rr) || isinf(ii) || isinf(ri) || isinf(ir));
}

// A quotient whose parts are both no numbers: what was divided by zero, or infinite by finite, or finite by infinite.
template <class Real>
__host__ __device__ accache_complex<Real> accache_recovered(
    accache_complex<Real> z, accache_complex<Real> w, accache_complex<Real> quotient)
{
    const Real infinite = Real(HUGE_VAL);
    if (w == 0 && (!isnan(z.re) || !isnan(z.im)))
        return z * Real(copysign(infinite, w.re));
    Real scale = infinite;
    if (accache_infinite(z) && accache_finite(w)) {
        z = accache_direction(z);
    } else if (accache_infinite(w) && accache_finite(z)) {
        w = accache_direction(w);
        scale = 0;
    } else {
        return quotient;
    }
    return {scale * (z.re * w.re + z.im * w.im), scale * (z.im * w.re - z.re * w.im)};
}

__host__ __device__ inline accache_complex<float> accache_quotient(accache_complex<float> z, accache_complex<float> w)
{
    const double a = z.re, b = z.im, c = w.re, d = w.im;
    const double square = c * c + d * d; // products of floats are exact, fused or not
    const accache_complex<float> quotient = {float((a * c + b * d) / square), float((b * c - a * d) / square)};
    return isnan(quotient.re) && isnan(quotient.im) ? accache_recovered(z, w, quotient) : quotient;
}

// A quotient z / w where the real part of w is the larger one, both scaled so that nothing overflows or underflows
// (Smith's method; Baudin and Smith, A Robust Complex Division in Scilab, 2012).
__host__ __device__ inline accache_complex<double> accache_divided(accache_complex<double> z, accache_complex<double> w)
{
    const double largest = DBL_MAX / 2, moderate = largest * DBL_EPSILON;
    if (fabs(w.re) >= largest)
        z = z * 0.5, w = w * 0.5;
    const double a = fabs(z.re), b = fabs(z.im), c = fabs(w.re);
    if (c < DBL_EPSILON || (c < moderate && ((a < DBL_MIN && b < moderate) || (b < DBL_MIN && a < moderate))))
        z = z * (1 / DBL_EPSILON), w = w * (1 / DBL_EPSILON);
    const double ratio = w.im / w.re, whole = accache_rounded(w.im, ratio) + w.re;
    accache_complex<double> quotient;
    if (fabs(ratio) > DBL_MIN) {
        quotient.re = (accache_rounded(z.im, ratio) + z.re) / whole;
        quotient.im = (z.im - accache_rounded(z.re, ratio)) / whole;
    } else {
        quotient.re = (accache_rounded(w.im, z.im / w.re) + z.re) / whole;
        quotient.im = (z.im - accache_rounded(w.im, z.re / w.re)) / whole;
    }
    return isnan(quotient.re) && isnan(quotient.im) ? accache_recovered(z, w, quotient) : quotient;
}

__host__ __device__ inline accache_complex<double> accache_quotient(accache_complex<double> z, accache_complex<double> w)
{
    if (fabs(w.re) < fabs(w.im)) // the same quotient, both multiplied by -i
        return accache_divided({z.im, -z.re}, {w.im, -w.re});
    return accache_divided(z, w);
}

#endif
