// OpenWatchParty for Swift. See LICENSE.
//
// The system calls that Swift's Glibc module lacks, and the functions of libcurl, which are looked up at run time so
// that neither its headers nor the library are needed to build.

#ifndef COWPSYSTEM_H
#define COWPSYSTEM_H

#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// Glibc declares it for _GNU_SOURCE only, which Swift's importer does not set.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

// Names the calling thread, with at most 15 bytes. Foundation's `Thread.name` may come too early to have an effect.
void owp_name_thread(const char *name);

#include <stddef.h>

// The functions of one loaded libcurl; the names are libcurl's own.
typedef struct owp_curl {
    void *library;
    int (*global_init)(long);
    const char *(*version)(void);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    int (*easy_send)(void *, const void *, size_t, size_t *);
    int (*easy_recv)(void *, void *, size_t, size_t *);
    const char *(*easy_strerror)(int);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_perform)(void *, int *);
    int (*multi_poll)(void *, void *, unsigned, int, int *);
    int (*multi_wakeup)(void *);
    void *(*multi_info_read)(void *, int *);
} owp_curl;

// Takes the next piece of a body; returns its size, or anything else to abort the transfer.
typedef size_t (*owp_curl_write)(char *bytes, size_t size, size_t count, void *user);

// Loads a library by its file name; 0, or -1 when there is none, or -2 when one of the functions is missing.
int owp_curl_load(owp_curl *curl, const char *name);

int owp_curl_set_long(const owp_curl *curl, void *easy, int option, long value);
int owp_curl_set_offset(const owp_curl *curl, void *easy, int option, long long value);
int owp_curl_set_string(const owp_curl *curl, void *easy, int option, const char *value);
int owp_curl_set_pointer(const owp_curl *curl, void *easy, int option, void *value);
int owp_curl_set_write(const owp_curl *curl, void *easy, owp_curl_write write, void *user);

// Says that no child process, such as a player, shall inherit the handle's socket and keep it open.
int owp_curl_keep_from_children(const owp_curl *curl, void *easy);

// The socket of a connected handle; -1 when it has none.
int owp_curl_socket(const owp_curl *curl, void *easy);
// The status of the last answer; 0 when none has come.
long owp_curl_status(const owp_curl *curl, void *easy);
// Whether the one transfer of a multi handle has ended; its result is stored.
int owp_curl_done(const owp_curl *curl, void *multi, int *result);
// Waits until the socket is ready, the multi handle has something to do or is woken up, or the time is over.
int owp_curl_wait(const owp_curl *curl, void *multi, int socket, int for_reading, int for_writing, int timeout_ms);
#endif

#endif
