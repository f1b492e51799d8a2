// What bodies under way may hold, and how slowly they may come: one sender costs the others nothing.
import { once } from 'node:events'
import { connect } from 'node:net'
import { fastify } from 'fastify'
import t from 'tap'
import { answerOf } from '../../src/http/answer/errors.ts'
import { readBodies } from '../../src/http/body/body.ts'
import { createBodyBudget, holderOf } from '../../src/http/body/budget.ts'
import { pause, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { families, sampleOf } from './exposition.ts'

const MiB = 1024 * 1024
const user = (id: string, userId?: string) =>
  ({ id, role: 'user', userId, expiresAt: undefined }) as Parameters<typeof holderOf>[0]

t.test('one holder may take a quarter of the budget, and all of them together the whole', async t => {
  const budget = createBodyBudget(() => {}, 400)
  t.ok(budget.take('a', 100))
  t.notOk(budget.take('a', 1), 'its share is taken')
  for (const other of ['b', 'c']) t.ok(budget.take(other, 100))
  t.ok(budget.take('d', 99))
  t.notOk(budget.take('e', 1), 'what a holder took beyond its share counts until it is given back')
  budget.give('a', 101)
  t.ok(budget.take('e', 99))
})

t.test('the tokens of one user share its part; tokens of all users have one each', async t => {
  t.equal(holderOf(user('t1', 'alice')), holderOf(user('t2', 'alice')))
  t.not(holderOf(user('t1', 'alice')), holderOf(user('t1', 'bob')))
  t.not(holderOf(user('t1')), holderOf(user('t2')))
})

/** A request whose body stays one byte short. */
const unfinished = async (url: string, token: string, bytes: number) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  let answer = ''
  socket.on('data', chunk => {
    answer += chunk
  })
  const head =
    `POST /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`
  socket.write(head)
  if (!socket.write(Buffer.alloc(bytes - 1, 'x')))
    await Promise.race([once(socket, 'drain').catch(() => {}), pause(2000)])
  return { socket, answer: () => answer }
}

t.test('bodies that stay one byte short refuse nothing to another user', async t => {
  const { api, url } = await serveHere(t)
  const tokenOf = async (user_id: string): Promise<string> =>
    ((await (await api('POST', '/auth/tokens', { role: 'user', user_id })).json()) as { token: string }).token
  const [mallory, alice] = [await tokenOf('mallory'), await tokenOf('alice')]
  const held = await Promise.all(Array.from({ length: 8 }, () => unfinished(url, mallory, 31 * MiB)))
  t.teardown(() => {
    for (const { socket } of held) socket.destroy()
  })
  const create = (token: string) =>
    api(
      'POST',
      '/tasks',
      { user_message_content: 'hello', stream: false, client_id: 'echo' },
      { authorization: `Bearer ${token}` },
    )
  t.equal((await create(alice)).status, 200)
  const refused = () => held.filter(({ answer }) => answer().includes('"quota":"bodies"'))
  await until(() => refused().length > 0) // some of its own are refused, and counted
  for (const { answer } of refused()) t.match(answer(), /^HTTP\/1\.1 429 /)
  await until(async () => {
    const metrics = families(await (await fetch(`${url}/metrics`)).text())
    return sampleOf(metrics, 'reprise_quota_refusals_total', { quota: 'bodies' }) === refused().length
  })
})

t.test('a body that comes too slowly is answered 408 and its connection ends', async t => {
  const app = fastify({ bodyLimit: 10 * MiB })
  readBodies(
    app as never,
    createBodyBudget(() => {}),
    { leastRate: 16 * 1024, graceMs: 200, windowMs: 500 },
  )
  app.decorateRequest('principal')
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = answerOf(error, { envelopeId: undefined, root: '' })
    return reply.code(status).header('connection', 'close').send(body)
  })
  app.post('/v1/tasks', async ({ body }) => ({ length: JSON.stringify(body).length }))
  t.teardown(() => app.close())
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { socket, answer } = await unfinished(url, 'any', MiB)
  if (!socket.closed) await once(socket, 'close')
  t.match(answer(), /^HTTP\/1\.1 408 /)
  t.match(answer(), /64 KiB per second/)

  const text = JSON.stringify({ a: 'x'.repeat(200_000) })
  const steady = await unfinished(url, 'any', 2)
  steady.socket.destroy()
  const { hostname, port } = new URL(url)
  const paced = connect(Number(port), hostname)
  const closed = once(paced, 'close')
  let said = ''
  paced.on('data', chunk => {
    said += chunk
  })
  paced.write(
    `POST /v1/tasks HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`,
  )
  for (let at = 0; at < text.length; at += 10_000) {
    paced.write(text.slice(at, at + 10_000))
    await pause(50)
  }
  await closed
  t.match(said, /^HTTP\/1\.1 200 /, 'one that keeps the pace is read, however long it takes')
})
