// OpenWatchParty for Swift. See LICENSE.
//
// The system calls that Swift's Glibc module lacks.

#ifndef COWPSYSTEM_H
#define COWPSYSTEM_H

#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// Glibc declares it for _GNU_SOURCE only, which Swift's importer does not set.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
#endif

#endif
