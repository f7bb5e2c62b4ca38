/* OpenACC 3.3, chapter 5, which accache does not implement. The compiler's own header would not fit our openacc.h. */
#error "acc_prof.h: the profiling interface of OpenACC is not supported"
