// Plays on a club with two nodes through its proxy with TLS: a game of two whose sockets are on both nodes, a game against
// the engine that the worker thinks for, and one that goes on while the node that owns it is told to end.
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

const url = process.env.HUSUN_URL
const nodes = process.env.HUSUN_NODES.split(' ')
const [first, second] = process.env.HUSUN_PIDS.split(' ').map(Number)
const PATIENCE = 30_000

async function until(what, holds) {
  const start = Date.now()
  for (;;) {
    const found = await holds()
    if (found) return found
    assert.ok(Date.now() - start < PATIENCE, `it does not come about: ${what}`)
    await wait(50)
  }
}

/** The sum of a figure over a node's labels that contain a text. */
async function figure(node, name, label = '') {
  const text = await (await fetch(`${node}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.split(/[{ ]/)[0] === name && line.includes(label))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

const everywhere = async (name, label) => {
  const all = await Promise.all(nodes.map((node) => figure(node, name, label).catch(() => 0)))
  return all.reduce((sum, one) => sum + one, 0)
}

/** A player at a game, who comes again when the connection is lost. */
class Player {
  #socket
  #now
  #game
  #seat

  constructor(game, seat) {
    this.#game = game
    this.#seat = seat
    this.#open()
  }

  #open() {
    const socket = new WebSocket(`${url.replace('https', 'wss')}/api/socket`)
    socket.onopen = () => socket.send(JSON.stringify({ type: 'join', game: this.#game, seat: this.#seat }))
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data)
      this.#now = message.now ?? this.#now
      // An invitation opens a seat once; from then on there is a word of one's own.
      this.#seat = message.seat ?? this.#seat
    }
    socket.onclose = () => this.closed || setTimeout(() => this.#open(), 100)
    socket.onerror = () => {}
    this.#socket = socket
  }

  ply(ply) {
    return until(`half-move ${ply}`, () => (this.#now?.ply === ply ? this.#now : undefined))
  }

  /** Makes a move, again if it did not arrive: a move that is there already changes nothing. */
  async move(ply, text) {
    await until(`move ${text}`, async () => {
      if (this.#now?.ply > ply) return true
      if (this.#socket.readyState === WebSocket.OPEN) {
        this.#socket.send(JSON.stringify({ type: 'move', ply, text }))
      }
      await wait(300)
      return false
    })
  }

  close() {
    this.closed = true
    this.#socket.close()
  }
}

async function make(wishes) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/games`, { method: 'POST', headers, body: JSON.stringify(wishes) })
  const text = await answer.text()
  assert.equal(answer.status, 201, text)
  return JSON.parse(text)
}

/** Plays moves of both sides from a half-move on. */
async function play(players, from, moves) {
  for (const [n, text] of moves.entries()) {
    const ply = from + n
    await players[ply % 2].move(ply, text)
    await Promise.all(players.map((player) => player.ply(ply + 1)))
  }
}

// The proxy: pages over TLS, figures for nobody outside.
const page = await fetch(`${url}/`)
assert.equal(page.status, 200)
assert.match(await page.text(), /<html/)
assert.equal((await fetch(`${url}/metrics`)).status, 403)

// Two players, on both nodes.
const wishes = { variant: 'chess', side: 'white', clock: 'fischer:10m+5s' }
const made = await make(wishes)
const players = [new Player(made.id, made.seat)]
await players[0].ply(0)
players.push(new Player(made.id, made.friend_seat))
await players[1].ply(0)
const sockets = await Promise.all(nodes.map((node) => figure(node, 'husun_sockets')))
assert.deepEqual(sockets, [1, 1], 'a socket on each node')
await play(players, 0, ['e2e4', 'e7e5', 'g1f3', 'b8c6'])

// The engine, whose thinking the worker does.
await until('a worker', () => everywhere('husun_workers'))
const engine = await make({ ...wishes, level: 3 })
const alone = new Player(engine.id, engine.seat)
await alone.ply(0)
const done = await everywhere('husun_engine_jobs_total', 'by="worker"')
await alone.move(0, 'd2d4')
await alone.ply(2)
assert.ok((await everywhere('husun_engine_jobs_total', 'by="worker"')) > done, 'the worker has thought')
alone.close()

// One node after the other is told to end: the game goes on where it is taken over.
process.kill(first, 'SIGTERM')
await play(players, 4, ['f1b5', 'a7a6'])
await until('the first node to end', () => fetch(`${nodes[0]}/healthz`).then(() => false, () => true))
await play(players, 6, ['b5a4', 'g8f6'])
assert.equal((await fetch(`${nodes[1]}/readyz`)).status, 200)
players.forEach((player) => player.close())
process.kill(second, 'SIGTERM')
console.log('a game was played through the proxy, on both nodes, and went on when one of them ended')
process.exit(0)
