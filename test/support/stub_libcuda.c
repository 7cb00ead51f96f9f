/* A driver of CUDA without a card: it notes what it is asked for, and its "device memory" is the host's.

   CUDA_STUB_LOG      a file that each call adds a line to: its name and its arguments
   CUDA_STUB_DEVICES  how many cards there are; 1 if nothing is said
   CUDA_STUB_FAIL     calls that fail, as in "cuMemAllocAsync=2,cuStreamSynchronize#3=700": the code that all
                      calls of that name return, or the third one. After an error of a kernel, all calls return it.
   CUDA_STUB_MEMORY   bytes of a card
   CUDA_STUB_SM       its compute capability times ten; 90 if nothing is said

   A kernel has as many arguments as its entry in the PTX has ".param"s. It does nothing, unless a program says by
   stub_runs_kernels_by what does it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
typedef uint64_t Address;
enum { OUT_OF_MEMORY = 2, INVALID_VALUE = 1, NO_CONTEXT = 201, INVALID_PTX = 218, NOT_FOUND = 500 };

static long setting(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

/* Held while what all threads share is looked at. */
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

/* Errors of kernels, after which the context is of no more use. */
static Result sticky;

static struct { char name[64]; int calls; } counts[64];

/* Calls are counted anew. */
void stub_forgets_calls(void) { memset(counts, 0, sizeof counts); }

static Result next_failure(const char *call) {
    int known = 0;
    while (counts[known].name[0] && strcmp(counts[known].name, call)) known++;
    strcpy(counts[known].name, call);
    int count = ++counts[known].calls;
    if (sticky) return sticky;
    const char *rest = getenv("CUDA_STUB_FAIL");
    size_t length = strlen(call);
    while (rest && *rest) {
        if (!strncmp(rest, call, length) && (rest[length] == '=' || rest[length] == '#')) {
            int wanted = rest[length] == '#' ? atoi(rest + length + 1) : count;
            int code = atoi(strchr(rest, '=') + 1);
            if (count == wanted) return code >= 700 && code < 720 && code != 701 ? (sticky = code) : code;
        }
        rest = strchr(rest, ',');
        if (rest) rest++;
    }
    return 0;
}

static Result failure_of(const char *call) {
    pthread_mutex_lock(&shared);
    Result code = next_failure(call);
    pthread_mutex_unlock(&shared);
    return code;
}

static void note(const char *format, ...) {
    const char *path = getenv("CUDA_STUB_LOG");
    if (!path) return;
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&shared);
    FILE *log = fopen(path, "a");
    vfprintf(log, format, arguments);
    fputc('\n', log);
    fclose(log);
    pthread_mutex_unlock(&shared);
    va_end(arguments);
}

/* Begins a call: what it is asked for is noted, and it may fail. */
#define CALL(...) do { note(__VA_ARGS__); Result code = failure_of(__func__); if (code) return code; } while (0)

/* The same for calls that need a context on their thread. */
static __thread void *current;
#define CALL_WITHIN(...) do { CALL(__VA_ARGS__); if (!current) return NO_CONTEXT; } while (0)

Result cuInit(unsigned flags) { CALL("cuInit %u", flags); return setting("CUDA_STUB_DEVICES", 1) ? 0 : 100; }
Result cuDriverGetVersion(int *version) { *version = 13000; return 0; }
Result cuDeviceGetCount(int *count) { CALL("cuDeviceGetCount"); *count = setting("CUDA_STUB_DEVICES", 1); return 0; }
Result cuDeviceGet(int *device, int number) { CALL("cuDeviceGet %d", number); *device = number; return 0; }
Result cuDeviceGetName(char *name, int room, int device) {
    CALL("cuDeviceGetName %d", device);
    snprintf(name, room, "Stub %d", device);
    return 0;
}
Result cuDeviceTotalMem_v2(size_t *bytes, int device) {
    CALL("cuDeviceTotalMem %d", device);
    *bytes = setting("CUDA_STUB_MEMORY", 80000000000);
    return 0;
}
Result cuDeviceGetAttribute(int *value, int attribute, int device) {
    CALL("cuDeviceGetAttribute %d %d", attribute, device);
    long sm = setting("CUDA_STUB_SM", 90);
    *value = attribute == 75 ? sm / 10 : attribute == 76 ? sm % 10 : attribute == 16 ? 132 : 1;
    return 0;
}

Result cuDevicePrimaryCtxRetain(void **context, int device) {
    CALL("cuDevicePrimaryCtxRetain %d", device);
    *context = (void *)(uintptr_t)(0x1000 + device);
    return 0;
}
Result cuCtxGetCurrent(void **context) { CALL("cuCtxGetCurrent"); *context = current; return 0; }
Result cuCtxSetCurrent(void *context) { CALL("cuCtxSetCurrent %p", context); current = context; return 0; }
Result cuCtxSynchronize(void) { CALL_WITHIN("cuCtxSynchronize"); return 0; }
Result cuMemGetInfo_v2(size_t *unused, size_t *total) {
    CALL_WITHIN("cuMemGetInfo");
    *total = setting("CUDA_STUB_MEMORY", 80000000000);
    *unused = *total / 4;
    return 0;
}

typedef struct { const char *ptx; } Module;
typedef struct { char name[128]; int parameters; const char *ptx; } Function;
Result cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
    note("cuModuleLoadDataEx %.20s", (const char *)image);
    for (unsigned n = 0; n < count; n++)
        if (options[n] == 5) strcpy(values[n], "ptxas application ptx input, line 3; error   : Unknown symbol 'f'");
    Result code = failure_of(__func__);
    if (!code && !current) code = NO_CONTEXT;
    if (code || strstr(image, "BROKEN")) return code ? code : INVALID_PTX;
    Module *made = malloc(sizeof *made);
    made->ptx = strdup(image);
    *module = made;
    return 0;
}
Result cuModuleUnload(void *module) { CALL_WITHIN("cuModuleUnload"); return 0; }
Result cuModuleGetFunction(void **function, void *module, const char *name) {
    CALL_WITHIN("cuModuleGetFunction %s", name);
    char entry[160];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    const char *at = strstr(((Module *)module)->ptx, entry);
    if (!at) return NOT_FOUND;
    Function *made = calloc(1, sizeof *made);
    snprintf(made->name, sizeof made->name, "%s", name);
    made->ptx = ((Module *)module)->ptx;
    const char *end = strchr(at, ')');
    while ((at = strstr(at, ".param")) && at < end) made->parameters++, at++;
    *function = made;
    return 0;
}
Result cuFuncSetAttribute(void *function, int attribute, int value) {
    CALL_WITHIN("cuFuncSetAttribute %d %d", attribute, value);
    return 0;
}
/* What a launch calls: with the PTX of the kernel's module, its name, how many blocks of how many threads there are,
   and the addresses of its arguments. Its result is the launch's. */
typedef Result Runs(const char *ptx, const char *name, unsigned blocks, unsigned threads, void **arguments);
static Runs *runs;
void stub_runs_kernels_by(Runs *run) { runs = run; }

Result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **arguments, void **extra) {
    Function *known = function;
    /* A blank and sixteen digits for each. */
    char words[17 * known->parameters + 1];
    words[0] = 0;
    for (int n = 0; n < known->parameters; n++)
        sprintf(words + strlen(words), " %llx", *(unsigned long long *)arguments[n]);
    CALL_WITHIN("cuLaunchKernel %s grid %u %u %u block %u %u %u shared %u stream %p arguments%s", known->name, gx, gy, gz, bx,
         by, bz, shared, stream, words);
    return runs ? runs(known->ptx, known->name, gx, bx, arguments) : 0;
}

static uintptr_t handles = 0x4000;
Result cuStreamCreate(void **stream, unsigned flags) {
    CALL_WITHIN("cuStreamCreate %u", flags);
    *stream = (void *)(handles += 16);
    return 0;
}
Result cuStreamDestroy_v2(void *stream) { CALL_WITHIN("cuStreamDestroy %p", stream); return 0; }
Result cuStreamSynchronize(void *stream) { CALL_WITHIN("cuStreamSynchronize %p", stream); return 0; }
Result cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    CALL_WITHIN("cuStreamWaitEvent %p %p", stream, event);
    return 0;
}
Result cuEventCreate(void **event, unsigned flags) {
    CALL_WITHIN("cuEventCreate %u", flags);
    *event = (void *)(handles += 16);
    return 0;
}
Result cuEventDestroy_v2(void *event) { CALL_WITHIN("cuEventDestroy %p", event); return 0; }
Result cuEventRecord(void *event, void *stream) { CALL_WITHIN("cuEventRecord %p %p", event, stream); return 0; }
Result cuEventSynchronize(void *event) { CALL_WITHIN("cuEventSynchronize %p", event); return 0; }
Result cuEventElapsedTime(float *milliseconds, void *first, void *second) {
    CALL_WITHIN("cuEventElapsedTime");
    *milliseconds = 1.5f;
    return 0;
}
Result cuEventElapsedTime_v2(float *milliseconds, void *first, void *second) {
    return cuEventElapsedTime(milliseconds, first, second);
}

/* Addresses that were handed out and not given back. */
#define BLOCKS 4096
static Address blocks[BLOCKS];

/* Puts an address in the place of another one, of which there may be none. */
static int replace(Address old, Address new) {
    int found = 0;
    pthread_mutex_lock(&shared);
    for (int n = 0; n < BLOCKS && !found; n++)
        if (blocks[n] == old) blocks[n] = new, found = 1;
    pthread_mutex_unlock(&shared);
    return found;
}
Result cuDeviceGetDefaultMemPool(void **pool, int device) {
    CALL("cuDeviceGetDefaultMemPool %d", device);
    *pool = (void *)0x6000;
    return 0;
}
Result cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
    CALL("cuMemPoolSetAttribute %d %llu", attribute, *(unsigned long long *)value);
    return 0;
}
Result cuMemPoolTrimTo(void *pool, size_t bytes) { CALL("cuMemPoolTrimTo %zu", bytes); return 0; }
Result cuMemAllocAsync(Address *address, size_t bytes, void *stream) {
    CALL_WITHIN("cuMemAllocAsync %zu %p", bytes, stream);
    if (!bytes) return INVALID_VALUE;
    if (bytes > (size_t)setting("CUDA_STUB_MEMORY", 80000000000)) return OUT_OF_MEMORY;
    *address = (Address)malloc(bytes);
    memset((void *)*address, 0xAA, bytes);
    replace(0, *address);
    note("gives %llx", (unsigned long long)*address);
    return 0;
}
Result cuMemFreeAsync(Address address, void *stream) {
    CALL_WITHIN("cuMemFreeAsync %llx %p", (unsigned long long)address, stream);
    if (!address || !replace(address, 0)) return INVALID_VALUE;
    free((void *)address);
    return 0;
}
Result cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) {
    CALL_WITHIN("cuMemcpyHtoDAsync %zu %p", bytes, stream);
    memcpy((void *)to, from, bytes);
    return 0;
}
Result cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) {
    CALL_WITHIN("cuMemcpyDtoHAsync %zu %p", bytes, stream);
    memcpy(to, (void *)from, bytes);
    return 0;
}
Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *stream) {
    CALL_WITHIN("cuMemcpyDtoDAsync %zu %p", bytes, stream);
    memcpy((void *)to, (void *)from, bytes);
    return 0;
}
Result cuMemsetD8Async(Address to, unsigned char value, size_t bytes, void *stream) {
    CALL_WITHIN("cuMemsetD8Async %d %zu %p", value, bytes, stream);
    memset((void *)to, value, bytes);
    return 0;
}
Result cuMemsetD16Async(Address to, unsigned short value, size_t count, void *stream) {
    CALL_WITHIN("cuMemsetD16Async %d %zu %p", value, count, stream);
    for (size_t n = 0; n < count; n++) ((unsigned short *)to)[n] = value;
    return 0;
}
Result cuMemsetD32Async(Address to, unsigned value, size_t count, void *stream) {
    CALL_WITHIN("cuMemsetD32Async %u %zu %p", value, count, stream);
    for (size_t n = 0; n < count; n++) ((unsigned *)to)[n] = value;
    return 0;
}
Result cuPointerGetAttribute(void *value, int attribute, Address address) {
    CALL_WITHIN("cuPointerGetAttribute %d", attribute);
    if (!replace(address, address)) return INVALID_VALUE;
    *(int *)value = attribute == 2 ? 2 : 0;
    return 0;
}

static const struct { int code; const char *name, *text; } errors[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
};
static int row(int code) {
    for (int n = 0; n < (int)(sizeof errors / sizeof *errors); n++)
        if (errors[n].code == code) return n;
    return -1;
}
Result cuGetErrorName(int code, const char **name) {
    *name = row(code) < 0 ? NULL : errors[row(code)].name;
    return *name ? 0 : INVALID_VALUE;
}
Result cuGetErrorString(int code, const char **text) {
    *text = row(code) < 0 ? NULL : errors[row(code)].text;
    return *text ? 0 : INVALID_VALUE;
}

/* The bindings look up every function by it, by names without a version. */
Result cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
    static void *self;
    Dl_info place;
    if (!self && dladdr((void *)cuGetProcAddress_v2, &place)) self = dlopen(place.dli_fname, RTLD_NOW);
    char newer[160];
    snprintf(newer, sizeof newer, "%s_v2", name);
    *function = dlsym(self, newer);
    if (!*function) *function = dlsym(self, name);
    if (status) *status = *function ? 0 : 1;
    return *function ? 0 : NOT_FOUND;
}
Result cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}
