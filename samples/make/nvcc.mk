# The same program, built by nvcc and a C compiler; accache writes source files and compiles nothing:
#
#     make -f nvcc.mk
#
# smooth.c becomes smooth.host.c for the C compiler and smooth.cu for nvcc.

CC := gcc
NVCC := nvcc
CFLAGS ?= -O2 -Wall
NVCCFLAGS ?= -O2 -arch=sm_90

smooth-cuda: main.o smooth.host.o smooth.cu.o
	$(NVCC) $(NVCCFLAGS) $^ -lm -o $@

%.host.c %.cu: %.c
	accache translate --split --line $< -o $*

%.cu.o: %.cu
	$(NVCC) $(NVCCFLAGS) -c $< -o $@

%.o: %.c
	$(CC) $(CFLAGS) -c $< -o $@

main.o smooth.host.c smooth.cu: smooth.h

.PHONY: clean
clean:
	$(RM) smooth-cuda main.o smooth.host.o smooth.cu.o smooth.host.c smooth.cu
