// OpenWatchParty for Swift. See LICENSE.
//
// Loads a relay over loopback: rooms of a few participants that play and pause once a second, everyone pinging every 5 s.
// Usage: load PORT PID CONNECTIONS ROOM_SIZE SECONDS [CHURN_MS]
//
// PID is the relay's: its memory and CPU time are read of /proc. With CHURN_MS somebody goes that often, and comes back:
// a room is ended, a room is deserted, a guest leaves, a guest drops and resumes, in turn.
//
// A latency counts from when a ping or command was due, not from when it was sent, so that a program that falls behind
// does not hide it; a command waits until everyone has got the one before.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 4000000, PING_US = 5000000, COMMAND_US = 1000000 };
typedef enum { OUTSIDE, HANDSHAKE, ENTERING, INSIDE } stage;

typedef struct {
    int fd, room, births;
    stage stage;
    int resumes;
    char peer[24], token[44];
    int64_t ping_due;
    int is_pinging;
    uint8_t *cut;  // The beginning of a message whose end has not come.
    int cut_size;
} client;

typedef struct {
    char code[8];
    int inside, is_live, is_playing;
    int64_t command_due;
    int awaited;  // How many have yet to get the last command.
} room;

static client *clients;
static room *rooms;
static int count, size, queue, port;
static int64_t measured_from = INT64_MAX;
static double *pings, *commands;
static size_t ping_count, command_count, deliveries;

static int64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static void fail(const char *what, const char *detail) {
    fprintf(stderr, "load: %s: %.300s\n", what, detail);
    exit(1);
}

static client *first_of(const room *r) { return &clients[(r - rooms) * size]; }

static void put(client *c, const char *text) {
    uint8_t frame[1024];
    static const uint8_t mask[4] = {0x37, 0xFA, 0x21, 0x3D};
    size_t length = strlen(text), at = 0;
    frame[at++] = 0x81;
    if (length < 126) frame[at++] = 0x80 | length;
    else { frame[at++] = 0x80 | 126; frame[at++] = length >> 8; frame[at++] = length & 255; }
    memcpy(frame + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < length; i++) frame[at++] = text[i] ^ mask[i & 3];
    if (write(c->fd, frame, at) != (ssize_t)at) fail("write", text);
}

static void say_ready(client *c) {
    put(c, "{\"type\":\"status\",\"epoch\":1,\"player\":\"ready\",\"match\":{\"state\":\"matched\",\"deltaMs\":0},"
           "\"offsetMs\":0,\"rttMs\":1}");
}

static void shut(client *c) {
    close(c->fd);
    if (c->stage == INSIDE) rooms[c->room].inside--;
    c->stage = OUTSIDE;
    c->cut_size = 0;
    c->is_pinging = 0;
}

static void open_one(client *c) {
    static const char request[] =
        "GET /v1/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    int i = c - clients, on = 1;
    // From many addresses of loopback: one has too few ports.
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7F000002 + i % 200)};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || bind(c->fd, (void *)&from, sizeof from) || connect(c->fd, (void *)&to, sizeof to)) {
        perror("load: connect");
        exit(1);
    }
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    if (write(c->fd, request, sizeof request - 1) < 0) fail("write", "the request");
    c->room = i / size;
    c->births++;
    c->stage = HANDSHAKE;
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = i};
    epoll_ctl(queue, EPOLL_CTL_ADD, c->fd, &e);
}

// Asks for a place, once its room's code is known.
static void enter(client *c) {
    room *r = &rooms[c->room];
    char text[256];
    if (c->resumes)
        snprintf(text, sizeof text, "{\"type\":\"resume\",\"code\":\"%s\",\"peerId\":\"%s\",\"token\":\"%s\"}", r->code, c->peer,
                 c->token);
    else if (c == first_of(r))
        snprintf(text, sizeof text, "{\"type\":\"create\",\"name\":\"Anna\",\"client\":\"load/1\"}");
    else if (r->code[0])
        snprintf(text, sizeof text, "{\"type\":\"join\",\"code\":\"%s\",\"name\":\"Guest\",\"client\":\"load/1\"}", r->code);
    else
        return;
    c->stage = ENTERING;
    put(c, text);
}

static void copy_member(const char *text, const char *name, char *to, size_t room_for) {
    const char *from = strstr(text, name);
    if (!from) fail("a joined lacks a member", text);
    from += strlen(name);
    size_t length = strcspn(from, "\"");
    if (length >= room_for) fail("a member is too long", text);
    memcpy(to, from, length);
    to[length] = 0;
}

static void took_joined(client *c, const char *text, int64_t now) {
    room *r = &rooms[c->room];
    c->stage = INSIDE;
    c->ping_due = now + rand() % PING_US;
    r->inside++;
    copy_member(text, "\"peerId\":\"", c->peer, sizeof c->peer);
    copy_member(text, "\"token\":\"", c->token, sizeof c->token);
    c->resumes = 0;
    if (r->is_live) return say_ready(c);
    if (c == first_of(r)) {
        copy_member(text, "\"code\":\"", r->code, sizeof r->code);
        for (int k = 1; k < size; k++)
            if (c[k].stage == ENTERING) enter(&c[k]);
    }
    if (r->inside == size)
        put(first_of(r), "{\"type\":\"setMedia\",\"positionMs\":0,\"media\":{\"kind\":\"movie\",\"title\":\"Nosferatu\","
                         "\"durationMs\":86000000,\"year\":1922,\"ids\":{\"imdb\":\"tt0013442\"}}}");
}

static void took(client *c, const char *text, int64_t now) {
    room *r = &rooms[c->room];
    int is_measured = now >= measured_from;
    deliveries += is_measured;
    if (strstr(text, "\"type\":\"pong\"")) {
        if (is_measured && ping_count < SAMPLES) pings[ping_count++] = now - c->ping_due;
        c->is_pinging = 0;
        c->ping_due += PING_US;
    } else if (strstr(text, "\"type\":\"joined\"")) {
        took_joined(c, text, now);
    } else if (strstr(text, "\"type\":\"room\"")) {
        if (strstr(text, "\"kind\":\"media\"")) say_ready(c);
        if (!r->is_live && strstr(text, "\"phase\":\"playing\"")) {
            r->is_live = r->is_playing = 1;
            r->command_due = now + COMMAND_US + rand() % COMMAND_US;
        } else if (r->awaited && strstr(text, "\"kind\":\"p")) {
            if (is_measured && command_count < SAMPLES) commands[command_count++] = now - r->command_due;
            if (--r->awaited == 0) r->command_due += COMMAND_US;
        }
    } else if (strstr(text, "\"type\":\"closed\"")) {
        shut(c);
        open_one(c);
    } else {
        fail("unexpected", text);
    }
}

static void readable(client *c) {
    static uint8_t buffer[1 << 18];
    memcpy(buffer, c->cut, c->cut_size);
    ssize_t got = read(c->fd, buffer + c->cut_size, sizeof buffer - c->cut_size - 1);
    if (got == 0) fail("a connection was closed", "");
    if (got < 0) return;
    int64_t now = now_us();
    int end = c->cut_size + got, at = 0, birth = c->births;
    c->cut_size = 0;
    if (c->stage == HANDSHAKE) {
        buffer[end] = 0;
        char *body = strstr((char *)buffer, "\r\n\r\n");
        if (body) {
            if (strncmp((char *)buffer, "HTTP/1.1 101", 12)) fail("no upgrade", (char *)buffer);
            at = (uint8_t *)body + 4 - buffer;
            c->stage = ENTERING;
            enter(c);
        }
    }
    while (c->births == birth && c->stage > HANDSHAKE && end - at >= 2) {
        int length = buffer[at + 1] & 127, head = 2;
        if (length == 126) {
            if (end - at < 4) break;
            length = buffer[at + 2] << 8 | buffer[at + 3], head = 4;
        }
        if (end - at < head + length) break;
        char *text = (char *)buffer + at + head, next = text[length];
        text[length] = 0;
        if ((buffer[at] & 15) == 1) took(c, text, now);
        text[length] = next;
        at += head + length;
    }
    // What is left of a connection that has been opened anew is nobody's.
    if (c->births != birth || at == end) return;
    c->cut_size = end - at;
    c->cut = realloc(c->cut, c->cut_size);
    memcpy(c->cut, buffer + at, c->cut_size);
}

// One ping or command whose time has come.
static void act(client *c, int64_t now) {
    if (c->stage != INSIDE) return;
    if (!c->is_pinging && now >= c->ping_due) {
        c->is_pinging = 1;
        put(c, "{\"type\":\"ping\",\"id\":1}");
    }
    room *r = &rooms[c->room];
    if (c == first_of(r) && r->is_live && !r->awaited && r->inside == size && now >= r->command_due) {
        r->awaited = size;
        put(c, r->is_playing ? "{\"type\":\"pause\"}" : "{\"type\":\"play\"}");
        r->is_playing = !r->is_playing;
    }
}

// Somebody goes, and comes back.
static void churn(void) {
    static int turn, next;
    room *r = &rooms[next];
    next = (next + 1) % (count / size);
    if (!r->is_live || r->inside < size || r->awaited) return;
    client *host = first_of(r), *guest = host + size - 1;
    int kind = turn++ % 4;
    if (kind < 2) {
        r->is_live = 0;
        r->code[0] = 0;
        if (kind == 0) return put(host, "{\"type\":\"end\"}");
        for (int k = 0; k < size; k++) {
            shut(&host[k]);
            open_one(&host[k]);
        }
        return;
    }
    if (kind == 2) put(guest, "{\"type\":\"leave\"}");
    shut(guest);
    guest->resumes = kind == 3;
    open_one(guest);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void show(const char *what, double *samples, size_t n) {
    if (n == 0) fail("no samples", what);
    qsort(samples, n, sizeof *samples, by_size);
    printf("%s %zu %.2f %.2f %.2f %.2f\n", what, n, samples[n / 2] / 1000, samples[n * 99 / 100] / 1000,
           samples[n * 999 / 1000] / 1000, samples[n - 1] / 1000);
}

static double cpu_seconds(int pid) {
    char path[64], line[1024];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    if (!f || !fgets(line, sizeof line, f)) fail("cannot read", path);
    fclose(f);
    sscanf(strrchr(line, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    return (double)(user + system) / sysconf(_SC_CLK_TCK);
}

static long resident_kib(int pid) {
    char path[64], line[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "r");
    if (!f) fail("cannot read", path);
    while (fgets(line, sizeof line, f)) sscanf(line, "VmRSS: %ld", &kib);
    fclose(f);
    return kib;
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: load PORT PID CONNECTIONS ROOM_SIZE SECONDS [CHURN_MS]\n");
        return 2;
    }
    port = atoi(argv[1]);
    int pid = atoi(argv[2]), seconds = atoi(argv[5]);
    int64_t churn_us = argc > 6 ? atoi(argv[6]) * 1000LL : 0;
    size = atoi(argv[4]);
    count = atoi(argv[3]) / size * size;
    clients = calloc(count, sizeof *clients);
    rooms = calloc(count / size, sizeof *rooms);
    pings = malloc(SAMPLES * sizeof *pings), commands = malloc(SAMPLES * sizeof *commands);
    queue = epoll_create1(0);

    double before = resident_kib(pid), cpu = -1, own_cpu = 0;
    int opened = 0, live = 0;
    int64_t start = now_us(), end = INT64_MAX, next_churn = INT64_MAX;
    static struct epoll_event events[1024];
    for (int64_t now = start; now < end; now = now_us()) {
        for (int k = 0; k < 50 && opened < count && opened - live * size < 1000; k++) open_one(&clients[opened++]);
        int n = epoll_wait(queue, events, 1024, opened < count ? 0 : 1);
        for (int k = 0; k < n; k++) readable(&clients[events[k].data.u32]);
        now = now_us();
        if (end == INT64_MAX) {
            if (now - start > 180000000LL) fail("not everyone is in a room that plays after", "180 s");
            live = 0;
            for (int r = 0; r < count / size; r++) live += rooms[r].is_live;
            if (live * size == count) {
                printf("joined %.1f\n", (now - start) / 1e6);
                // A while for the last to settle.
                measured_from = now + 5000000;
                end = measured_from + seconds * 1000000LL;
                if (churn_us) next_churn = measured_from;
            }
        }
        if (cpu < 0 && now >= measured_from) {
            cpu = cpu_seconds(pid);
            own_cpu = cpu_seconds(getpid());
            printf("memory %.2f\n", (resident_kib(pid) - before) / count);
            fflush(stdout);
        }
        for (int i = 0; i < opened; i++) act(&clients[i], now);
        if (now >= next_churn) {
            next_churn += churn_us;
            churn();
        }
    }
    double used = cpu_seconds(pid) - cpu, own = cpu_seconds(getpid()) - own_cpu;
    int inside = 0;
    for (int i = 0; i < count; i++) inside += clients[i].stage == INSIDE;
    printf("held %d\nmemory_end %.2f\n", inside, (resident_kib(pid) - before) / count);
    show("pings", pings, ping_count);
    show("commands", commands, command_count);
    printf("deliveries %zu\ncpu %.2f\nown_cpu %.2f\nrate %.0f\n", deliveries, used, own, deliveries / used);
    return 0;
}
