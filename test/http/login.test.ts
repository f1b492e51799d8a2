// One-time links to the console: once, for a minute, and no more rights than those of whoever asked.
import t from 'tap'
import { createLogins } from '../../src/access/logins.ts'
import type { Principal } from '../../src/contract/events/token-events.ts'
import { apiAs, read } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'

const { api, url } = await serveHere(t)
type Token = { id: string; token: string; role: string; user_id: string | null; expires_at: number }

const linkOf = async (by = api) =>
  (await read(by('POST', '/auth/login-ticket'))).body as unknown as { ticket: string; expires_in: number }
const login = (ticket: unknown) =>
  read(
    fetch(`${url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket }),
    }),
  )

t.test('a link gives an admin token of twelve hours, once, and the token can be revoked', async t => {
  const { ticket, expires_in } = await linkOf()
  t.equal(expires_in, 60)
  const { status, body } = await login(ticket)
  const { id, token, role, user_id, expires_at } = body as unknown as Token
  t.same([status, role, user_id], [200, 'admin', null])
  t.ok(Math.abs(expires_at - Date.now() / 1000 - 12 * 3600) < 60)
  const own = apiAs(url, token)
  t.same((await read(own('GET', '/auth/token'))).body, { id, role, user_id, expires_at })
  t.match(await login(ticket), { status: 401, body: { code: -32030, message: /used before/ } })
  t.equal((await own('DELETE', `/auth/tokens/${id}`)).status, 200, 'as the console does at sign-out')
  t.equal((await own('GET', '/auth/token')).status, 401)
})

t.test('what is no ticket gives nothing', async t => {
  for (const ticket of ['', 'rl_nonsense', 'x'.repeat(900)]) t.equal((await login(ticket)).status, 401)
  t.equal((await login(7)).status, 422)
  t.equal((await login('x'.repeat(2000))).status, 413)
})

t.test('the link of a token of one user gives a token of that user', async t => {
  const made = await read(api('POST', '/auth/tokens', { role: 'admin', user_id: 'ann' }))
  const { token, id } = made.body as unknown as Token
  const own = apiOf(url, token)
  const { body } = await login((await linkOf(own)).ticket)
  t.match(body, { role: 'admin', user_id: 'ann' })
  const { ticket } = await linkOf(own)
  await read(api('DELETE', `/auth/tokens/${id}`))
  t.equal((await login(ticket)).status, 401, 'when the token is revoked, its links end')
})

t.test('a link ends after a minute', async t => {
  let now = 1_000_000
  let made = 0
  const admin: Principal = { id: 'admin', role: 'admin', userId: undefined, expiresAt: undefined }
  const logins = createLogins({
    clock: { now: () => now },
    random: { text: () => `text${made++}` },
    principals: {
      current: () => admin,
      markOf: () => '',
      create: async () => ({ id: 'tok', token: 'rp', expires_at: 1 }),
    },
  })
  const [first, second] = [logins.issue(admin), logins.issue(admin)]
  now += 59_999
  t.equal((await logins.login(first.ticket, 'r')).id, 'tok')
  now += 1
  await t.rejects(logins.login(second.ticket, 'r'), { message: /older than a minute/ })
})
