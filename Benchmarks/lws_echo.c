// OpenWatchParty for Swift. See LICENSE.
//
// An echo server on libwebsockets, as a measure for Benchmarks/websocket: prints "listening 127.0.0.1:PORT".

#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { slots = 256, largest = 65536 };

// A connection's messages on their way back, as a ring.
struct session {
    struct { size_t size; int binary; unsigned char *bytes; } ring[slots];
    unsigned first, count;
};

static int echo(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    struct session *session = user;
    switch (reason) {
    case LWS_CALLBACK_RECEIVE: {
        // One message may come in pieces: they go into the slot behind the last whole one.
        if (session->count == slots) return -1;
        unsigned slot = (session->first + session->count) % slots;
        if (lws_is_first_fragment(wsi)) {
            session->ring[slot].size = 0;
            session->ring[slot].binary = lws_frame_is_binary(wsi);
            if (!session->ring[slot].bytes) session->ring[slot].bytes = malloc(LWS_PRE + largest);
        }
        if (!session->ring[slot].bytes || session->ring[slot].size + size > largest) return -1;
        memcpy(session->ring[slot].bytes + LWS_PRE + session->ring[slot].size, in, size);
        session->ring[slot].size += size;
        if (lws_is_final_fragment(wsi)) {
            session->count++;
            lws_callback_on_writable(wsi);
        }
        return 0;
    }
    case LWS_CALLBACK_SERVER_WRITEABLE:
        while (session->count > 0 && !lws_send_pipe_choked(wsi)) {
            unsigned slot = session->first;
            if (lws_write(wsi, session->ring[slot].bytes + LWS_PRE, session->ring[slot].size,
                          session->ring[slot].binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT) < 0) return -1;
            session->first = (session->first + 1) % slots;
            session->count--;
        }
        if (session->count > 0) lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_CLOSED:
        for (unsigned slot = 0; slot < slots; slot++) free(session->ring[slot].bytes);
        return 0;
    default:
        return 0;
    }
}

int main(void) {
    static const struct lws_protocols protocols[] = {
        {"echo", echo, sizeof(struct session), largest, 0, NULL, 0}, {NULL, NULL, 0, 0, 0, NULL, 0}};
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = 0;
    info.iface = "127.0.0.1";
    info.protocols = protocols;
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    lws_set_log_level(LLL_ERR, NULL);
    struct lws_context *context = lws_create_context(&info);
    struct lws_vhost *vhost = context ? lws_create_vhost(context, &info) : NULL;
    if (!vhost) return 1;
    printf("listening 127.0.0.1:%d\n", lws_get_vhost_listen_port(vhost));
    fflush(stdout);
    while (lws_service(context, 0) >= 0) {}
    return 0;
}
