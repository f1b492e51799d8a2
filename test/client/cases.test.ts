// The table of behaviours, for each client.
import t from 'tap'
import { behaviours } from './behaviours.ts'
import { clients } from './clients.ts'
import { scriptedServer } from './scripted-server.ts'

for (const { name: client, skip, start } of clients)
  t.test(`the client for ${client}`, { skip, jobs: 1 }, async t => {
    const driver = start(t)
    const due = behaviours.filter(({ only }) => only === undefined || client.startsWith(only))
    for (const { name, exchanges, does, gives, sameKey = [], anyOrder } of due)
      await t.test(name, async t => {
        const { url, asked, left } = await scriptedServer(t, exchanges, anyOrder)
        const outcome = await driver(url, does)
        const expected = JSON.parse(JSON.stringify(gives).replaceAll('"URL/', `"${url}/`))
        t.match(JSON.parse(JSON.stringify(outcome)), expected)
        if (!('error' in gives)) t.equal(outcome.error, undefined)
        for (const field of ['frames', 'ids', 'positions', 'called', 'warnings'])
          if (field in gives) t.same(outcome[field], gives[field], field)
        const requests = exchanges.flatMap(exchange => asked.find(({ as }) => as === exchange) ?? [])
        const order = anyOrder ? requests : asked
        t.same(
          order.map(({ on }) => on),
          exchanges.map(({ on }) => on),
        )
        t.equal(asked.length, exchanges.length)
        for (const [n, { headers = {}, body }] of exchanges.entries()) {
          t.match(requests[n]?.headers, { authorization: 'Bearer secret', ...headers })
          if (body !== undefined) t.match(requests[n]?.body, body)
        }
        const keys = new Set(sameKey.map(n => asked[n]?.headers['idempotency-key']))
        if (sameKey.length > 0) t.match([...keys], [/^\w{32}$/])
        t.ok(keys.size <= 1, 'the key is one')
        await left()
      })
  })
