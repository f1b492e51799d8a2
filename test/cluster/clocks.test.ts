// Nodes whose clocks differ by more than their signatures allow: clients learn it at once, and nothing is done.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import tap, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { ClocksDiffer, createAskNode } from '../../src/cluster/gateway/ask-node.ts'
import { read } from '../support/http.ts'
import { nodeHere } from './nodes-here.ts'

/** An owner, and a standby whose clock is so many milliseconds ahead. */
const skewedPair = async (t: Test, skewMs: number) => {
  const seen: string[] = []
  const owner = await nodeHere(t, {
    name: 'a',
    owner: 'me',
    request(message, response) {
      seen.push(`${message.method} ${message.url}`)
      response.end('done')
    },
  })
  const standby = await nodeHere(t, { name: 'b', owner: { url: owner.url }, skewMs })
  return { owner, standby, seen }
}

tap.test(
  'a request that a standby sends on is refused at once, with the reason, and not carried out',
  async t => {
    for (const [skewMs, words] of [
      [60_000, /the clock of the node b is 60 s ahead of that of the node a, .* nothing was done$/],
      [-45_000, /the clock of the node b is 45 s behind that of the node a, /],
    ] as const) {
      const { owner, standby, seen } = await skewedPair(t, skewMs)
      const before = performance.now()
      const sent = { method: 'POST', headers: { 'content-type': 'application/json' } }
      for (const body of ['{}', 'x'.repeat(1_000_000)]) {
        const answer = await read(fetch(`${standby.url}/v1/agents`, { ...sent, body }))
        t.equal(answer.status, 503)
        t.equal(answer.headers.get('retry-after'), '1')
        t.equal(answer.headers.get('reprise-time'), null, 'what nodes tell each other is not for clients')
        t.match(answer.body, { code: -32603, message: words, data: { hint: /^Set the clocks of both/ } })
      }
      const get = await read(fetch(`${standby.url}/v1/agents`))
      t.match([get.status, get.body], [503, { message: words }])
      t.ok(performance.now() - before < 3000, 'at once')
      t.same(seen, [])
      standby.setSkew(0)
      t.equal((await fetch(`${standby.url}/v1/agents`, { ...sent, body: '{}' })).status, 200)
      t.equal((await fetch(`${owner.url}/v1/agents`)).status, 200)
    }
  },
)

tap.test('a WebSocket is refused, too, and a client of events may connect again', async t => {
  const { standby } = await skewedPair(t, 60_000)
  const client = new WebSocket(`ws://127.0.0.1:${standby.port}/ws`)
  client.on('error', () => {})
  const [, refusal] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage]
  t.equal(refusal.statusCode, 503)
  await t.rejects(
    fetch(`${standby.url}/v1/api/events`, { headers: { accept: 'text/event-stream' } }).then(read),
  )
})

tap.test('whoever asks a node with another clock learns the difference, from that node alone', async t => {
  const { owner, standby } = await skewedPair(t, 60_000)
  const ask = createAskNode(standby.hops)
  const error = await ask(owner.url, { method: 'GET', path: '/cluster/status' }).catch(error => error)
  t.ok(error instanceof ClocksDiffer)
  t.equal(error.node, 'a')
  t.ok(Math.abs(error.aheadMs + 60_000) < 2000)
  t.match(
    error.message,
    /the clock of the node a is 60 s behind the clock of this machine: set the clocks of both/,
  )
})
