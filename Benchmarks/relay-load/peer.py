# OpenWatchParty for Swift. See LICENSE.
"""A small broadcast relay on PyPI's websockets, for load.c to compare with. It knows rooms, but hardly any of their rules.

Usage: peer.py PORT
"""

import asyncio
import json
import random
import sys
import time

from websockets.asyncio.server import broadcast, serve

encode = json.JSONEncoder(separators=(",", ":")).encode
rooms = {}


def now_ms():
    return int(time.time() * 1000)


async def handle(socket):
    members, room, me = None, None, None

    def tell(action):
        room["rev"] += 1
        broadcast(members, encode({"type": "room", **room, "action": {"kind": action, "by": me["peerId"]}}))

    try:
        async for text in socket:
            message = json.loads(text)
            kind = message["type"]
            if kind == "ping":
                await socket.send(encode({"type": "pong", "id": message["id"], "serverTime": now_ms()}))
            elif kind in ("create", "join"):
                code = message.get("code") or "".join(random.choices("23456789ABCDEFGHJKMNPQRSTUVWXYZ", k=6))
                if kind == "create":
                    rooms[code] = (set(), {
                        "rev": 1, "code": code, "epoch": 0, "phase": "idle", "positionMs": 0, "atMs": now_ms(), "rate": 1,
                        "control": "host", "locked": False, "waitingOn": [], "participants": [],
                    })
                members, room = rooms[code]
                me = {
                    "peerId": f"p{len(members) + 1}", "name": message["name"], "client": message["client"],
                    "host": not members, "connected": True, "player": "idle", "match": None, "offsetMs": 0,
                }
                room["participants"].append(me)
                you = {"peerId": me["peerId"], "token": "A" * 43}
                await socket.send(encode({
                    "type": "joined", "code": code, "you": you, "serverTime": now_ms(), "room": room, "media": None,
                }))
                broadcast(members, encode({"type": "room", **room}))
                members.add(socket)
            elif kind == "setMedia":
                room["epoch"], room["phase"] = room["epoch"] + 1, "waiting"
                tell("media")
            elif kind == "status":
                me["player"], me["match"] = message["player"], message["match"]
                if room["phase"] == "waiting" and all(each["player"] == "ready" for each in room["participants"]):
                    room["phase"] = "playing"
                    broadcast(members, encode({"type": "room", **room}))
            elif kind in ("play", "pause"):
                room["phase"] = "playing" if kind == "play" else "paused"
                room["atMs"] = now_ms()
                tell(kind)
    finally:
        if members:
            members.discard(socket)


async def main():
    async with serve(handle, "127.0.0.1", int(sys.argv[1]), compression=None, ping_interval=None, backlog=4096) as server:
        print(f"listening 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
