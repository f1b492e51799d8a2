// Webhooks in a backup: a restored webhook goes on where the backup ends, without its secret until it has a new one.
import path from 'node:path'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { read, until } from '../support/http.ts'
import { type Api, runReprise, serveHere } from '../support/server.ts'
import { receiver } from '../webhooks/receiver.ts'

const allowed = { ALLOW_PRIVATE_URLS: '1' }
type Info = { id: string; secret: string; status: string; disabled_reason: string; position: number }
const infoFrom = async (asked: Promise<Response>) => (await read(asked)).body as unknown as Info
const echo = { user_message_content: 'x', stream: false, client_id: 'echo' }

t.test('a restored webhook goes on from its checkpoint when it has a new secret', async t => {
  const hook = await receiver(t)
  const unsigned = await receiver(t)
  const before = await serveHere(t, allowed)
  const made = await infoFrom(before.api('POST', '/webhooks', { url: hook.url, types: ['TaskCreated'] }))
  const task = (api: Api, more = {}) => api('POST', '/tasks', { ...echo, ...more })
  await task(before.api)
  const about = `/webhooks/${made.id}`
  await until(async () => (await infoFrom(before.api('GET', about))).position > made.position)
  // What comes while it is disabled is in the backup, and not delivered.
  await before.api('PATCH', about, { enabled: false })
  await task(before.api)
  const script = { agent_id: 'script', script: [{ pause: 'tea' }, { message: 'done' }] }
  const webhook = { url: unsigned.url, types: ['AgentCompleted'] }
  const paused = await read(task(before.api, { client_id: 'script', agent_config: script, webhook }))
  const { id } = paused.body.result
  const root = t.testdir()
  const file = path.join(root, 'backup.db')
  t.match(await runReprise(['backup', file], { DATA_DIR: before.dataDir }), { code: 0, stderr: '' })
  await before.stop()

  const dataDir = path.join(root, 'other')
  t.match(await runReprise(['restore', file], { DATA_DIR: dataDir }), { code: 0, stderr: '' })
  const { api } = await serveHere(t, { ...allowed, DATA_DIR: dataDir })
  await api('PATCH', about, { enabled: true })
  await until(async () => (await infoFrom(api('GET', about))).status === 'disabled')
  t.match(await infoFrom(api('GET', about)), { disabled_reason: 'secret_missing' })
  t.equal(hook.received.length, 1, 'nothing is sent without a signature')
  const { secret } = await infoFrom(api('POST', `${about}/rotate-secret`))
  await api('PATCH', about, { enabled: true })
  await hook.until(received => received.length === 3)
  const [, ...later] = hook.received
  for (const { body, headers } of later) new Webhook(secret).verify(body, headers)
  const ids = hook.received.map(event => Number(event.id))
  t.same(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
    'each event once, in order',
  )

  t.equal((await api('POST', `/tasks/${id}/resume`)).status, 200)
  const [end] = await unsigned.until(received => received.length === 1)
  t.match(end?.event, { type: 'AgentCompleted', data: { task_id: id } }, 'the webhook of a task goes on too')
  await until(async () => (await infoFrom(api('GET', `/webhooks/wht_${id}`))).status === 'ended')
})
