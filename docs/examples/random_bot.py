#!/usr/bin/env python3
# A whole program that plays at a server: it accepts every challenge and makes any legal move.
#   python3 random_bot.py http://127.0.0.1:8000 token.txt
# Needs the package websockets (pip install websockets; Debian python3-websockets).
import json
import random
import sys
import threading
import urllib.error
import urllib.request

from websockets.sync.client import connect

server, token_file = sys.argv[1].rstrip("/"), sys.argv[2]
auth = {"Authorization": "Bearer " + open(token_file).read().strip()}
playing = set()


def ask(method, path, body=None):
    """A request; what is answered, or nothing if it was refused."""
    data = None if body is None else json.dumps(body).encode()
    headers = auth | {"Content-Type": "application/json"}
    request = urllib.request.Request(server + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or "null")
    except urllib.error.HTTPError as error:
        print(method, path, error.code, error.read().decode())


def socket():
    return connect(server.replace("http", "ws", 1) + "/api/socket", additional_headers=auth)


def play(game):
    """A game to its end, on a socket of its own."""
    if game in playing:
        return
    playing.add(game)
    with socket() as ws:
        ws.send(json.dumps({"type": "join", "game": game}))
        for text in ws:
            message = json.loads(text)
            if message["type"] == "snapshot":
                own = message["own"]
            if message["type"] == "refused":
                print(game, message["code"], message["message"])
            now = message.get("now")
            if not now:
                continue
            if now["stage"] in ("over", "aborted"):
                print(game, now.get("result"))
                return
            if now["stage"] == "playing" and now["turn"] == own:
                move = random.choice(now["legal"])
                ws.send(json.dumps({"type": "move", "ply": now["ply"], "seq": now["seq"], "text": move}))


def begin(game):
    threading.Thread(target=play, args=[game]).start()


def accept(challenge):
    if challenge["from"] != me["name"]:
        paired = ask("POST", f"/api/challenges/{challenge['id']}/accept")
        if paired:
            begin(paired["game"])


me = ask("GET", "/api/me")
if not me:
    sys.exit(1)
with socket() as ws:
    ws.send(json.dumps({"type": "enter_lobby"}))
    print(me["name"], "is in the lobby")
    # What was there before it came: its games, and challenges that wait.
    for game in ask("GET", "/api/me/games") or []:
        if game["stage"] == "playing":
            begin(game["id"])
    for challenge in (ask("GET", "/api/me/challenges") or {"received": []})["received"]:
        accept(challenge)
    for text in ws:
        message = json.loads(text)
        if message["type"] == "challenged":
            accept(message)
        if message["type"] == "paired":
            begin(message["game"])
