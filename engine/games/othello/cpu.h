/* Whether the processor and the operating system support the instructions used by the x86-64-v3 and v4 builds. */
#ifndef QUIETMOVE_CPU_H
#define QUIETMOVE_CPU_H

#if defined(__x86_64__)
#include <cpuid.h>

static int has_v3(void) {
    unsigned a, b, c, d, low, high;
    const unsigned leaf1 = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29; /* FMA MOVBE OSXSAVE AVX F16C */
    const unsigned leaf7 = 1u << 3 | 1u << 5 | 1u << 8;                          /* BMI1 AVX2 BMI2 */
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & leaf1) != leaf1) return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6) return 0; /* the system saves the 256-bit registers */
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & leaf7) != leaf7) return 0;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & 1u << 5); /* LZCNT */
}

static int has_v4(void) {
    unsigned a, b, c, d, low, high;
    const unsigned leaf7 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31; /* AVX512 F DQ CD BW VL */
    if (!has_v3()) return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 0xe6) != 0xe6) return 0; /* the system saves the 512-bit registers and the masks */
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & leaf7) == leaf7;
}

#else

static int has_v3(void) { return 0; }
static int has_v4(void) { return 0; }

#endif
#endif
