"""PyPI's websockets as the other side, for .ci/interop and Benchmarks/websocket.

    server                  echoes on a free port of 127.0.0.1, which it prints; /close4000 closes with that status
    check URL               checks an echo server
    bench URL SIZE SECONDS  prints the median round trip in us, and the messages a second
"""
import asyncio
import statistics
import sys
import time

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

LIMIT = 16 * 1024 * 1024
PLAIN = dict(max_size=LIMIT, compression=None)


async def echo(connection):
    if connection.request.path == "/close4000":
        return await connection.close(4000, "room gone")
    try:
        async for message in connection:
            await connection.send(message)
    except ConnectionClosed:
        pass


async def server():
    async with serve(echo, "127.0.0.1", 0, ping_interval=None, **PLAIN) as listening:
        print("listening", "127.0.0.1:%d" % listening.sockets[0].getsockname()[1], flush=True)
        await listening.serve_forever()


async def check(url):
    # The client offers compression here, as it does by default; the server must decline it.
    async with connect(url, max_size=LIMIT) as connection:
        assert connection.protocol.extensions == []
        for message in ["", "x", "\U0001F600" * 4096, "y" * 4_000_000, b"", bytes(range(256)) * 300]:
            await connection.send(message)
            assert await connection.recv() == message
        await connection.send(["in ", "four ", "fragments", " \U0001F600"])
        assert await connection.recv() == "in four fragments \U0001F600"
        await (await connection.ping(b"p" * 125))
        await connection.close(4000, "replaced")
    assert (connection.close_code, connection.protocol.close_rcvd.code) == (4000, 4000)
    print("websockets' client: messages, fragments, ping and close agree")


async def bench(url, size, seconds):
    text = "x" * size
    async with connect(url, ping_interval=None, **PLAIN) as connection:
        times = []
        end = time.perf_counter() + seconds
        while (start := time.perf_counter()) < end:
            await connection.send(text)
            await connection.recv()
            times.append(time.perf_counter() - start)

        count = 0
        window = asyncio.Semaphore(64)

        async def receive():
            nonlocal count
            while True:
                await connection.recv()
                count += 1
                window.release()

        receiving = asyncio.create_task(receive())
        start = time.perf_counter()
        while time.perf_counter() < start + seconds:
            await window.acquire()
            await connection.send(text)
        rate = count / (time.perf_counter() - start)
        receiving.cancel()
        print("%.1f %.0f" % (statistics.median(times) * 1e6, rate))


commands = {"server": server, "check": check, "bench": lambda u, n, s: bench(u, int(n), float(s))}
asyncio.run(commands[sys.argv[1]](*sys.argv[2:]))
