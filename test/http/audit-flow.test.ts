// Lines of the log go out as fast as their reader takes them, and no faster.

import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { fastify } from 'fastify'
import t, { type Test } from 'tap'
import { noReads } from '../../src/access/reads.ts'
import type { AuditTrail, StoredEvent } from '../../src/contract/audit.ts'
import { wholeLoop } from '../../src/fairness/loop-shares.ts'
import { createLongAnswers } from '../../src/http/answer/long-answers.ts'
import type { App } from '../../src/http/request/request.ts'
import { auditRoutes } from '../../src/http/routes/audit.ts'
import { openAuditTrail } from '../../src/log/audit.ts'
import { openFile, to } from '../log/support.ts'
import { until } from '../support/http.ts'
import { admin } from '../support/system.ts'
import { settle } from '../support/world.ts'

const events = 120
const size = 300_000

/** The route alone, on a log of 36 MB, and how many of its events were read from the file. */
const served = async (t: Test) => {
  const file = path.join(t.testdir({}), 'log.db')
  const log = await openFile(t, file)
  for (let n = 0; n < events; n++) await log.append([to('task-large', n - 1, { text: 'x'.repeat(size) })])
  const trail = openAuditTrail(file, log)
  const seen = { events: 0, over: false }
  async function* watched(pages: AsyncIterable<StoredEvent[]>) {
    try {
      for await (const page of pages) {
        seen.events += page.length
        yield page
      }
    } finally {
      seen.over = true
    }
  }
  const audit: AuditTrail = { ...trail, events: (after, of) => watched(trail.events(after, of)) }
  const app = fastify()
  app.addHook('onRequest', async request => {
    request.principal = admin
  })
  const fault = (error: unknown) => t.fail(String(error))
  const door = { audit, queries: { headPosition: log.head } }
  auditRoutes(app as unknown as App, door, {
    longAnswers: createLongAnswers(new AbortController().signal, wholeLoop, () => {}),
    reads: noReads,
    fault,
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await app.close()
    await trail.close()
  })
  const { port } = app.server.address() as { port: number }
  const headers = { accept: 'application/x-ndjson' }
  const request = get({ host: '127.0.0.1', port, path: '/v1/audit/events', headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { seen, response }
}

t.test('a reader that stops stops the reading of the log, and gets all when it goes on', async t => {
  const { seen, response } = await served(t)
  // A page is a turn of the event loop: unheld, all would be read within a few hundred.
  await settle(3000)
  const held = seen.events
  t.ok(held > 0 && held < events / 2, `${held} of ${events} events were read`)
  let text = 0
  for await (const chunk of response) text += (chunk as Buffer).length
  t.equal(seen.events, events)
  t.ok(text > 2 * events * size, 'each is there as data and as the exact payload')
})

t.test('a reader that leaves ends the reading', async t => {
  const { seen, response } = await served(t)
  response.destroy()
  await until(() => seen.over)
  t.ok(seen.events < events, `${seen.events} of ${events} events were read`)
})
