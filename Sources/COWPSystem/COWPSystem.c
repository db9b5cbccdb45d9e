// OpenWatchParty for Swift. See LICENSE.

#include "COWPSystem.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/prctl.h>

// The layout of struct CURLMsg, of struct curl_waitfd, and the numbers of libcurl's stable ABI that are used here.
struct message { int kind; void *easy; union { void *other; int result; } data; };
struct waited { int socket; short events; short ready; };
enum { MESSAGE_DONE = 1, WAIT_IN = 1, WAIT_OUT = 4, WRITE_DATA = 10001, WRITE_FUNCTION = 20011, SOCKET_FUNCTION = 20148 };
enum { INFO_STATUS = 0x200002, INFO_ACTIVE_SOCKET = 0x50002C };

void owp_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

static int find(void *library, const char *name, void *function) {
    return (*(void **)function = dlsym(library, name)) != NULL;
}

int owp_curl_load(owp_curl *curl, const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return -1;
    curl->library = library;
    int complete = find(library, "curl_global_init", &curl->global_init)
        & find(library, "curl_version", &curl->version)
        & find(library, "curl_easy_init", &curl->easy_init)
        & find(library, "curl_easy_cleanup", &curl->easy_cleanup)
        & find(library, "curl_easy_setopt", &curl->easy_setopt)
        & find(library, "curl_easy_getinfo", &curl->easy_getinfo)
        & find(library, "curl_easy_send", &curl->easy_send)
        & find(library, "curl_easy_recv", &curl->easy_recv)
        & find(library, "curl_easy_strerror", &curl->easy_strerror)
        & find(library, "curl_multi_init", &curl->multi_init)
        & find(library, "curl_multi_cleanup", &curl->multi_cleanup)
        & find(library, "curl_multi_add_handle", &curl->multi_add_handle)
        & find(library, "curl_multi_remove_handle", &curl->multi_remove_handle)
        & find(library, "curl_multi_perform", &curl->multi_perform)
        & find(library, "curl_multi_poll", &curl->multi_poll)
        & find(library, "curl_multi_wakeup", &curl->multi_wakeup)
        & find(library, "curl_multi_info_read", &curl->multi_info_read);
    return complete ? 0 : -2;
}

int owp_curl_set_long(const owp_curl *curl, void *easy, int option, long value) {
    return curl->easy_setopt(easy, option, value);
}

int owp_curl_set_offset(const owp_curl *curl, void *easy, int option, long long value) {
    return curl->easy_setopt(easy, option, value);
}

int owp_curl_set_string(const owp_curl *curl, void *easy, int option, const char *value) {
    return curl->easy_setopt(easy, option, value);
}

int owp_curl_set_pointer(const owp_curl *curl, void *easy, int option, void *value) {
    return curl->easy_setopt(easy, option, value);
}

int owp_curl_set_write(const owp_curl *curl, void *easy, owp_curl_write write, void *user) {
    int result = curl->easy_setopt(easy, WRITE_FUNCTION, write);
    return result ? result : curl->easy_setopt(easy, WRITE_DATA, user);
}

static int close_on_exec(void *user, int socket, int purpose) {
    (void)user, (void)purpose;
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    return 0;
}

int owp_curl_keep_from_children(const owp_curl *curl, void *easy) {
    return curl->easy_setopt(easy, SOCKET_FUNCTION, close_on_exec);
}

int owp_curl_socket(const owp_curl *curl, void *easy) {
    int socket = -1;
    return curl->easy_getinfo(easy, INFO_ACTIVE_SOCKET, &socket) ? -1 : socket;
}

long owp_curl_status(const owp_curl *curl, void *easy) {
    long status = 0;
    return curl->easy_getinfo(easy, INFO_STATUS, &status) ? 0 : status;
}

int owp_curl_done(const owp_curl *curl, void *multi, int *result) {
    int left;
    for (struct message *next; (next = curl->multi_info_read(multi, &left));) {
        if (next->kind != MESSAGE_DONE) continue;
        *result = next->data.result;
        return 1;
    }
    return 0;
}

int owp_curl_wait(const owp_curl *curl, void *multi, int socket, int for_reading, int for_writing, int timeout_ms) {
    int ready;
    short events = (short)((for_reading ? WAIT_IN : 0) | (for_writing ? WAIT_OUT : 0));
    struct waited waited = { socket, events, 0 };
    return curl->multi_poll(multi, &waited, socket >= 0 && events ? 1 : 0, timeout_ms, &ready);
}
#else
// Xcode wants a C target to define something.
typedef int owp_system_is_empty;
#endif
