// How the console reads again: one read at a time, and again after a refusal that does not last.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createApi } from '../../console/api/client.ts'
import { createPaced } from '../../console/api/paced.ts'
import { createHistory } from '../../console/task/history.ts'
import { listen } from '../http/event-streams.ts'
import { pause, read, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'

t.test('an earlier read never replaces what a later read has shown', async t => {
  let asked = 0
  const server = createServer(async (_, answer) => {
    const number = ++asked
    await pause(number === 1 ? 300 : 0)
    answer.end(`${number}`)
  }).listen(0)
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const shown: string[] = []
  const paced = createPaced(async () => {
    shown.push(await (await fetch(`http://localhost:${port}`)).text())
  })
  paced.now()
  await until(() => asked === 1)
  paced.now()
  paced.now()
  await until(() => shown.length >= 2)
  await pause(400)
  t.same(shown, ['1', '2'], 'two calls while a read is under way need one more read')
  paced.soon()
  paced.close()
  paced.now()
  await pause(100)
  t.equal(asked, 2, 'a closed view reads nothing')
})

t.test('a history that is refused since too many streams are open goes on when one has closed', async t => {
  const { api, url } = await serveHere(t, { QUOTA_STREAMS: '1' })
  const issued = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'ann' }))
  const { token } = issued.body as unknown as { token: string }
  const sleeps = { agent_id: 'script', script: [{ sleep_ms: 600_000 }] }
  const body = { user_message_content: 'x', stream: false, background: true, agent_config: sleeps }
  const { id } = (await read(apiOf(url, token)('POST', '/tasks', body))).body.result
  const other = await listen(url, { token })

  const fromHere = globalThis.fetch
  t.teardown(() => {
    globalThis.fetch = fromHere
  })
  // A page asks at the address that it comes from.
  globalThis.fetch = (path, init) => fromHere(String(path).startsWith('/') ? `${url}${path}` : path, init)
  const history = createHistory(
    createApi(
      () => token,
      () => t.fail('the token is good'),
    ),
    id,
  )
  t.teardown(history.close)
  await until(() => ['lost', 'refused'].includes(history.connection.value))
  t.equal(history.connection.value, 'lost')
  await other.cut()
  await read(apiOf(url, token)('POST', `/tasks/${id}/cancel`))
  await until(() => history.connection.value === 'ended')
  t.equal(history.past.newest.status, 'canceled')
})
