/* Lets writes to the server's database fail as the file named by HUSUN_FAULT says, for as long as it is there: "full",
   "error", "sync" or "readonly". Loaded before the C library; nothing else is touched. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fault(int fd, int syncing) {
    const char *path = getenv("HUSUN_FAULT");
    char link[64], name[512], kind[16];
    if (!path || access(path, F_OK)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, sizeof name - 1);
    if (n <= 0) return 0;
    name[n] = 0;
    if (!strstr(name, "husun.sqlite") || strstr(name, "-shm") || strstr(name, ".lock")) return 0;
    int file = open(path, O_RDONLY);
    if (file < 0) return 0;
    n = read(file, kind, sizeof kind - 1);
    close(file);
    if (n <= 0) return 0;
    kind[n] = 0;
    if (!strncmp(kind, "sync", 4)) return syncing ? EIO : 0;
    if (syncing) return 0;
    if (!strncmp(kind, "full", 4)) return ENOSPC;
    if (!strncmp(kind, "readonly", 8)) return EROFS;
    return EIO;
}

#define FAIL(fd, syncing) \
    do { int e = fault(fd, syncing); if (e) { errno = e; return -1; } } while (0)
#define NEXT(type, name) static type next; if (!next) next = (type)dlsym(RTLD_NEXT, name)

typedef ssize_t (*write_fn)(int, const void *, size_t);
typedef ssize_t (*pwrite_fn)(int, const void *, size_t, off_t);
typedef int (*sync_fn)(int);
typedef int (*truncate_fn)(int, off_t);

ssize_t write(int fd, const void *b, size_t n) { NEXT(write_fn, "write"); FAIL(fd, 0); return next(fd, b, n); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) { NEXT(pwrite_fn, "pwrite"); FAIL(fd, 0); return next(fd, b, n, o); }
ssize_t pwrite64(int fd, const void *b, size_t n, off_t o) { NEXT(pwrite_fn, "pwrite64"); FAIL(fd, 0); return next(fd, b, n, o); }
int ftruncate(int fd, off_t n) { NEXT(truncate_fn, "ftruncate"); FAIL(fd, 0); return next(fd, n); }
int ftruncate64(int fd, off_t n) { NEXT(truncate_fn, "ftruncate64"); FAIL(fd, 0); return next(fd, n); }
int fsync(int fd) { NEXT(sync_fn, "fsync"); FAIL(fd, 1); return next(fd); }
int fdatasync(int fd) { NEXT(sync_fn, "fdatasync"); FAIL(fd, 1); return next(fd); }
