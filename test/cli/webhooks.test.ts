// reprise webhooks, against a running server and a receiver.
import t from 'tap'
import { until } from '../support/http.ts'
import { adminToken, runReprise, serveHere } from '../support/server.ts'
import { receiver, status } from '../webhooks/receiver.ts'

const { api, dataDir } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1' })
const env = { DATA_DIR: dataDir, ADMIN_TOKEN: adminToken }
const run = (...args: string[]) => runReprise(['webhooks', ...args], env)

t.test('a webhook is made, tried, listed, sent once more and removed', async t => {
  const hook = await receiver(t)
  const added = await run('create', hook.url, '--type', 'TaskCreated,TaskStatusChanged')
  t.match(added, { code: 0, stderr: '' })
  const [line = '', secret = ''] = added.stdout.split('\n')
  const [id = '', ...shown] = line.split(/ {2,}/)
  t.same(shown, ['active', hook.url, 'TaskCreated,TaskStatusChanged'])
  t.match(secret, /^whsec_/)
  const tried = await run('test', id)
  t.match(tried, { code: 0, stdout: /^test_\S+ {2}WebhookTest {2}answered 200 in \d+ ms\n$/, stderr: '' })

  await api('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo' })
  const events = () => hook.received.filter(({ event }) => event.type !== 'WebhookTest')
  await until(() => events().length === 3)
  const list = async () =>
    (await (await api('GET', `/webhooks/${id}/deliveries`)).json()) as { data: object[] }
  await until(async () => (await list()).data.length === 3)
  const listed = await run('deliveries', id, '--json')
  t.same(
    listed.stdout
      .trim()
      .split('\n')
      .map(text => JSON.parse(text).id),
    events()
      .map(event => event.id)
      .reverse(),
  )
  t.match(
    (await run('deliveries', id)).stdout,
    /^\d+ {2}delivered {2}\S+Z {2}TaskStatusChanged {2}attempts 1 {2}200$/m,
  )
  const [first] = events()
  t.match(await run('redeliver', id, first?.id ?? ''), { code: 0, stdout: /TaskCreated {2}answered 200/ })
  t.equal(events().at(-1)?.body, first?.body)

  t.match(await run('list'), { code: 0, stdout: `${line}\n` })
  t.notMatch((await run('list', '--json')).stdout, secret)
  t.match(await run('delete', id), { code: 0, stdout: '', stderr: `${id} is deleted\n` })
  t.same(await run('list', '--json'), { code: 0, stdout: '', stderr: '' })
  t.match(await run('list'), { code: 0, stdout: '', stderr: /^No webhooks yet\. .+\n$/ })
})

t.test('what the receiver does not take, and what is not there, is exit code 1', async t => {
  const hook = await receiver(t, [status(500), status(500)])
  const { id } = JSON.parse((await run('create', hook.url, '--task', 'nothing', '--json')).stdout) as {
    id: string
  }
  t.match(await run('test', id), {
    code: 1,
    stdout: '',
    stderr: /^reprise: the receiver did not take test_\S+: answered 500\n$/,
  })
  t.match(await run('test', id, '--json'), { code: 1, stdout: /"delivered":false/ })
  t.match(await run('redeliver', id, '1'), { code: 1, stderr: /^reprise: .+\n$/ })
  t.match(await run('delete', 'nobody'), { code: 1, stderr: 'reprise: no such webhook\n' })
  t.match(await run('create', 'ftp://x/'), { code: 2, stderr: /^reprise: url: .+\n$/ })
  const alone = await runReprise(['webhooks', 'list'], { DATA_DIR: t.testdir() })
  t.match(alone, { code: 3, stderr: /^reprise: no server runs on .+ reprise serve, or .+\n$/ })
})
