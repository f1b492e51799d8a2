// Whoever listens on NATS gets each checkpoint of the log.
import t from 'tap'
import { openCheckpoint } from '../../src/proof/note/checkpoint.ts'
import { readVerifierKey } from '../../src/proof/note/keys.ts'
import { natsServer, noNats } from '../support/nats.ts'
import { serveHere } from '../support/server.ts'

t.test('checkpoints are published on reprise.checkpoints', { skip: noNats }, async t => {
  const nats = await natsServer(t)
  const heard = (await nats.client(t)).subscribe('reprise.checkpoints')
  const { api } = await serveHere(t, { NATS_URL: nats.url })
  const key = readVerifierKey((await (await api('GET', '/audit/public-key')).text()).split(' ')[0] ?? '')
  const task = { user_message_content: 'hello', client_id: 'echo', stream: false }
  t.equal((await api('POST', '/tasks', task)).status, 200)
  const sizes: number[] = []
  for await (const message of heard) {
    sizes.push(openCheckpoint(message.string(), key.name, [key]).size)
    if (sizes.some(size => size >= 6)) break
  }
  t.same(
    sizes,
    [...new Set(sizes)].sort((a, b) => a - b),
    'each once, and larger each time',
  )
})
