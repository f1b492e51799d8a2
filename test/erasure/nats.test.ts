// Erased tasks leave JetStream too: from its stream, and from the bytes of its files.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import t from 'tap'
import { until } from '../support/http.ts'
import { natsServer, noNats } from '../support/nats.ts'
import { serveHere } from '../support/server.ts'
import { type Erased, makeTask, ok, secret } from './support.ts'

/** The messages of the stream, also when some in between or at the end were deleted. */
const storedIn = async (client: NatsConnection) => {
  const { streams } = await jetstreamManager(client)
  const { state } = await streams.info('REPRISE_EVENTS')
  const messages: { body: string; id: string }[] = []
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const found = await streams.getMessage('REPRISE_EVENTS', { seq }).catch(() => null)
    if (found !== null) messages.push({ body: found.string(), id: found.header.get('Nats-Msg-Id') })
  }
  return messages
}

t.test('messages about an erased task are deleted, and the relay goes on', { skip: noNats }, async t => {
  const nats = await natsServer(t)
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-erase-nats-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const env = { NATS_URL: nats.url, DATA_DIR: path.join(folder, 'data') }
  const server = await serveHere(t, env)
  const { api } = server
  const first = await makeTask(api, { user_message_content: `${secret} title`, user_id: 'anna' })
  const other = await makeTask(api, { user_message_content: 'other title' })
  const client = await nats.client(t)
  const about = async (id: string) => (await storedIn(client)).filter(({ body }) => body.includes(id)).length
  await until(async () => (await about(other.id)) > 4)
  t.ok((await about(first.id)) > 4)
  const { not_erased } = await ok<Erased>(api('DELETE', `/tasks/${first.id}?erase=true&reason=x`))
  t.same(
    not_erased.map(({ what }) => what),
    ['copies of REPRISE_EVENTS', 'backups', 'exports', 'what was sent away'],
  )
  t.equal(await about(first.id), 0)
  t.ok((await about(other.id)) > 4)
  const third = await makeTask(api, { user_message_content: 'third' })
  await until(async () => (await about(third.id)) > 4)

  await nats.kill()
  const away = await ok<Erased>(api('DELETE', `/tasks/${other.id}?erase=true&reason=x`))
  t.equal(away.not_erased[0]?.what, 'REPRISE_EVENTS', 'NATS is away')
  await nats.start()
  await until(async () => {
    const again = await ok<Erased>(api('DELETE', `/tasks/${other.id}?erase=true&reason=x`))
    return again.not_erased[0]?.what !== 'REPRISE_EVENTS'
  })
  const later = await nats.client(t)
  t.notOk((await storedIn(later)).some(({ body }) => body.includes(other.id)))
  await server.stop()

  const again = await serveHere(t, env)
  const fourth = await makeTask(again.api, { user_message_content: 'fourth' })
  await until(async () => (await storedIn(later)).some(({ body }) => body.includes(fourth.id)))
  const ids = (await storedIn(later)).map(({ id }) => id)
  t.equal(new Set(ids).size, ids.length, 'nothing is there twice')
})
