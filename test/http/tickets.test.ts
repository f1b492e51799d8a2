// Tickets: a token's stand-in on the streams of a browser, once used its own again and again, and nothing else.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { createTickets } from '../../src/access/tickets.ts'
import type { Principal } from '../../src/contract/events/token-events.ts'
import { openSecrets, type Secrets } from '../../src/platform/secrets.ts'
import { read, until } from '../support/http.ts'
import { adminToken, serveHere, spawnServer } from '../support/server.ts'
import { follow } from '../support/sse.ts'
import { admin, memorySecrets } from '../support/system.ts'
import { testWorld } from '../support/world.ts'
import { askEvents, listen } from './event-streams.ts'

const echo = { user_message_content: 'hello', stream: false, client_id: 'echo' }
const long = {
  ...echo,
  background: true,
  client_id: 'script',
  agent_config: { agent_id: 'script', script: [{ message: 'begun' }, { sleep_ms: 600_000 }] },
}
type Server = Pick<Awaited<ReturnType<typeof serveHere>>, 'api' | 'url'>
const ticketOf = async ({ api }: Server, token = adminToken): Promise<string> => {
  const headers = { authorization: `Bearer ${token}` }
  const { status, body } = await read(api('POST', '/auth/stream-ticket', undefined, headers))
  if (status !== 200) throw new Error(`no ticket: ${status}`)
  return (body as unknown as { ticket: string }).ticket
}
const tokenOf = async ({ api }: Server, body: object): Promise<{ id: string; token: string }> =>
  (await read(api('POST', '/auth/tokens', body))).body as unknown as { id: string; token: string }
const create = async ({ api }: Server, body: object = {}): Promise<string> =>
  (await read(api('POST', '/tasks', { ...echo, ...body }))).body.result.id
/** A stream that a ticket alone opens, as an EventSource does. */
const byTicket = (
  url: string,
  ticket: string,
  query = 'starting_after=0',
  headers: Record<string, string> = {},
) => listen(url, { token: '', query: `${query}&ticket=${ticket}`, headers })
const statusOf = async (url: string, ticket: string): Promise<number> => {
  const answer = await askEvents(url, { token: '', query: `ticket=${ticket}` })
  await answer.body?.cancel()
  return answer.status
}

const server = await serveHere(t)
const { url, api, system } = server
await create(server, { user_id: 'ann' })
await create(server, { user_id: 'bob' })

const minute = 60_000
const day = 24 * 60 * minute

const ann: Principal = { id: 'tok_ann', role: 'subscriber', userId: 'ann', expiresAt: undefined }
/** Tickets on a clock that the test moves; `restarted` is another life with the same secrets. */
const given = (secrets: Secrets = memorySecrets(), world = testWorld()) => {
  const principals = new Map([admin, ann].map(principal => [principal.id, principal]))
  const { clock, random } = world
  const open = () => {
    const doors = { current: (id: string) => principals.get(id), markOf: (id: string) => id }
    return createTickets({ secrets, clock, random, principals: doors })
  }
  return { tickets: open(), restarted: open, world, principals, secrets }
}

t.test('a ticket that is not used within a minute is nothing any more', async t => {
  const { tickets, world } = given()
  const { ticket, expires_in } = tickets.issue(ann)
  t.match(ticket, /^rt_[\w-]{43}$/, '256 bits')
  t.equal(expires_in, 60)
  const late = tickets.issue(ann).ticket
  await world.advance(minute - 1)
  t.same(tickets.redeem(ticket), ann)
  await world.advance(1)
  t.equal(tickets.redeem(late), undefined)
  t.same(tickets.redeem(ticket), ann, 'the one that was used goes on')
})

t.test(
  'one that was used serves for a day from its first use, and no longer however often it is used',
  async t => {
    const { tickets, world } = given()
    const { ticket } = tickets.issue(ann)
    await world.advance(minute / 2)
    t.same(tickets.redeem(ticket), ann)
    for (let hour = 1; hour < 24; hour++) {
      await world.advance(day / 24)
      t.same(tickets.redeem(ticket), ann)
    }
    await world.advance(day / 24 - 1)
    t.same(tickets.redeem(ticket), ann)
    await world.advance(1)
    t.equal(tickets.redeem(ticket), undefined)
  },
)

t.test('over a restart a used one goes on for the rest of its day, an unused one is nothing', async t => {
  const { tickets, restarted, world, secrets } = given()
  const used = tickets.issue(ann).ticket
  const unused = tickets.issue(ann).ticket
  tickets.redeem(used)
  await world.advance(minute / 2)
  const second = restarted()
  t.equal(second.redeem(unused), undefined)
  t.same(second.redeem(used), ann)
  await world.advance(day - minute / 2 - 1)
  t.same(restarted().redeem(used), ann)
  await world.advance(1)
  t.equal(second.redeem(used), undefined)
  t.equal(secrets.refs().length, 1)
  t.equal(restarted().redeem(used), undefined)
  t.same(secrets.refs(), [], 'what is over is swept at the next start')
})

t.test('a ticket ends with its token, used or not, and does not come back with another token', async t => {
  const { tickets, restarted, principals } = given()
  const used = tickets.issue(ann).ticket
  const unused = tickets.issue(ann).ticket
  tickets.redeem(used)
  principals.delete(ann.id)
  t.equal(tickets.redeem(used), undefined)
  t.equal(tickets.redeem(unused), undefined)
  t.equal(restarted().redeem(used), undefined)
  principals.set('tok_bob', { ...ann, id: 'tok_bob', userId: 'bob' })
  t.equal(tickets.redeem(used), undefined)
})

t.test('what is no ticket is nobody', async t => {
  const { tickets, secrets } = given()
  secrets.put('sec_task', { token: 'admin', until: Number.MAX_SAFE_INTEGER, used: true })
  const { ticket } = tickets.issue(ann)
  const [ref] = (() => {
    tickets.redeem(ticket)
    return secrets.refs().filter(ref => ref.startsWith('ticket_'))
  })()
  for (const text of [
    '',
    'rt_',
    'sec_task',
    ref ?? '',
    `${ticket} `,
    ticket.toUpperCase(),
    ticket.slice(1),
    adminToken,
  ]) {
    t.equal(tickets.redeem(text), undefined, text)
  }
})

t.test('every ticket is another, and only the hash of a used one is in the file', async t => {
  const file = path.join(t.testdir(), 'secrets.db')
  const secrets = openSecrets(file)
  const { tickets } = given(secrets)
  const all = Array.from({ length: 50 }, () => tickets.issue(ann).ticket)
  t.equal(new Set(all).size, 50)
  t.same(secrets.refs(), [], 'nothing is written before it is used')
  for (const ticket of all.slice(0, 10)) tickets.redeem(ticket)
  for (const ticket of all.slice(0, 10)) tickets.redeem(ticket)
  t.equal(secrets.refs().length, 10)
  secrets.close()
  const bytes = readFileSync(file)
  for (const ticket of all) t.notOk(bytes.includes(ticket.slice(3)))
})

t.test(
  'a ticket has one seat: who sits down puts the one before out, and who leaves keeps nobody out',
  async t => {
    const { tickets } = given()
    const { ticket } = tickets.issue(ann)
    const left: string[] = []
    const leaveFirst = tickets.sit(ticket, () => left.push('first'))
    const leaveSecond = tickets.sit(ticket, () => left.push('second'))
    t.same(left, ['first'])
    leaveFirst()
    tickets.sit(tickets.issue(ann).ticket, () => left.push('another ticket'))
    const leaveThird = tickets.sit(ticket, () => left.push('third'))
    t.same(left, ['first', 'second'])
    leaveSecond()
    leaveThird()
    tickets.sit(ticket, () => left.push('fourth'))
    t.same(left, ['first', 'second'], 'an empty seat puts nobody out')
  },
)

t.test('every role is given one, with or without a body, and it sees what its token sees', async t => {
  for (const role of ['admin', 'user', 'auditor', 'subscriber']) {
    for (const user_id of ['ann', undefined]) {
      const { token } = await tokenOf(server, { role, user_id })
      const authorization = `Bearer ${token}`
      for (const body of [undefined, {}]) {
        const answer = await read(api('POST', '/auth/stream-ticket', body, { authorization }))
        t.equal(answer.status, 200, role)
        t.same(answer.body, { ticket: (answer.body as unknown as { ticket: string }).ticket, expires_in: 60 })
      }
      const own = await listen(url, { token, query: 'starting_after=0' })
      const stream = await byTicket(url, await ticketOf(server, token))
      const heard = await own.until(heard => heard.length >= (user_id === undefined ? 12 : 6))
      await stream.until(({ length }) => length >= heard.length)
      t.same(stream.heard(), own.heard())
      await Promise.all([own.cut(), stream.cut()])
    }
  }
  for (const authorization of ['', 'Bearer nonsense']) {
    t.equal((await api('POST', '/auth/stream-ticket', undefined, { authorization })).status, 401)
  }
})

t.test('a ticket opens streams and nothing else, and makes no other ticket', async t => {
  const ticket = await ticketOf(server)
  const id = await create(server)
  const routes: [method: string, path: string][] = [
    ['GET', '/tasks'],
    ['GET', `/tasks/${id}`],
    ['GET', `/tasks/${id}/rollouts`],
    ['GET', '/rollouts'],
    ['GET', '/auth/tokens'],
    ['POST', '/auth/tokens'],
    ['POST', '/auth/stream-ticket'],
    ['POST', '/tasks'],
    ['POST', `/tasks/${id}/cancel`],
    ['DELETE', `/tasks/${id}`],
  ]
  for (const used of [false, true]) {
    for (const [method, path] of routes) {
      const answer = await fetch(`${url}/v1${path}?ticket=${ticket}`, { method })
      t.equal(answer.status, 401, `${method} ${path}`)
      await answer.text()
    }
    if (!used) t.equal(await statusOf(url, ticket), 200)
  }
  t.equal((await api('GET', `/tasks/${id}`)).status, 200)
})

t.test('a header is looked at before a ticket, and a ticket must be one', async t => {
  const ticket = await ticketOf(server)
  for (const authorization of ['Bearer nonsense', 'Basic x', '']) {
    const answer = await askEvents(url, { token: '', query: `ticket=${ticket}`, headers: { authorization } })
    t.equal(answer.status, 401, authorization)
    await answer.text()
  }
  for (const query of [
    'ticket=',
    'ticket=nonsense',
    `ticket=${ticket}&ticket=${ticket}`,
    `Ticket=${ticket}`,
  ]) {
    const answer = await askEvents(url, { token: '', query })
    t.equal(answer.status, 401, query)
    t.equal(answer.headers.get('www-authenticate'), 'Bearer')
    await answer.text()
  }
  const both = await listen(url, { query: 'ticket=nonsense&starting_after=0' })
  t.equal(both.response.status, 200, 'with a good header a bad ticket does no harm')
  await both.cut()
  t.equal(await statusOf(url, ticket), 200)
})

t.test('the same ticket serves each reconnect, one connection at a time', async t => {
  const ticket = await ticketOf(server)
  const first = await byTicket(url, ticket)
  const heard = await first.until(({ length }) => length > 0)
  const at = heard[2]?.id ?? 0
  const second = await byTicket(url, ticket, 'starting_after=0', { 'last-event-id': `${at}` })
  await first.over
  t.equal(first.end(), 'broken', 'a new one closes the old')
  await create(server)
  const newest = system.bus.events.position()
  await second.until(heard => (heard.at(-1)?.id ?? 0) >= newest - 1)
  t.ok((second.ids()[0] ?? 0) > at)
  t.equal(second.end(), undefined)
  const other = await byTicket(url, await ticketOf(server))
  t.equal(second.end(), undefined, 'another ticket is another seat')
  await second.cut()
  const third = await byTicket(url, ticket)
  await third.until(({ length }) => length > 0)
  t.equal(other.end(), undefined)
  await Promise.all([third.cut(), other.cut()])
})

const taskStream = async (id: string, ticket: string) =>
  follow(fetch(`${url}/v1/tasks/${id}/events?ticket=${ticket}`, { headers: { accept: 'text/event-stream' } }))

t.test("a task's own stream takes a ticket, too, and another user's task is not there", async t => {
  const id = await create(server, { user_id: 'ann' })
  const { token } = await tokenOf(server, { role: 'subscriber', user_id: 'ann' })
  const ticket = await ticketOf(server, token)
  for (let n = 0; n < 2; n++) {
    const stream = await taskStream(id, ticket)
    t.equal(stream.response.status, 200)
    await stream.rest()
    t.equal(stream.frames().at(-1)?.type, 'task.completed')
  }
  const bobs = await create(server, { user_id: 'bob' })
  t.equal((await fetch(`${url}/v1/tasks/${bobs}/events?ticket=${ticket}`)).status, 404)
})

t.test("on a task's stream, too, a new connection closes the old", async t => {
  const id = await create(server, long)
  const ticket = await ticketOf(server)
  const first = await taskStream(id, ticket)
  await first.until(frames => frames.some(({ type }) => type === 'task.output_item.done'))
  const second = await taskStream(id, ticket)
  await second.until(frames => frames.length > 0)
  let isOver = false
  const over = first.rest().then(
    () => {},
    () => {
      isOver = true
    },
  )
  await until(() => isOver).catch(() => t.fail('the first is still open'))
  await second.cut()
  await read(api('POST', `/tasks/${id}/cancel`, {}))
  await over
})

t.test('the streams of a ticket end when its token does, and are not opened again', async t => {
  const id = await create(server, { ...long, user_id: 'ann' })
  for (const how of ['revoked', 'at its end']) {
    const ttl = how === 'revoked' ? {} : { ttl: 2 }
    const token = await tokenOf(server, { role: 'subscriber', user_id: 'ann', ...ttl })
    const [ofAll, ofTask, unused] = [
      await ticketOf(server, token.token),
      await ticketOf(server, token.token),
      await ticketOf(server, token.token),
    ]
    const all = await byTicket(url, ofAll)
    const task = await taskStream(id, ofTask)
    await task.until(frames => frames.length > 0)
    let taskOver = false
    const over = task.rest().then(
      () => {},
      () => {
        taskOver = true
      },
    )
    if (how === 'revoked') await read(api('DELETE', `/auth/tokens/${token.id}`))
    await all.over
    t.equal(all.end(), 'broken')
    for (const ticket of [ofAll, ofTask, unused]) t.equal(await statusOf(url, ticket), 401, how)
    await until(() => taskOver).catch(() => t.fail(`the task's stream is still open, the token ${how}`))
    if (!taskOver) await task.cut()
    await over
  }
  await read(api('POST', `/tasks/${id}/cancel`, {}))
})

/** Every file below a folder that holds a text. */
const holding = (dataDir: string, text: string): string[] =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter(file => file.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter(file => readFileSync(file).includes(text))

const restarts = (t: Test, env: Record<string, string> = {}) => {
  const dataDir = t.testdir()
  return {
    dataDir,
    start: (more: Record<string, string> = {}) =>
      spawnServer(t, dataDir, { DRAIN_SECONDS: '0', ...env, ...more }),
  }
}

t.test(
  'over a kill and a stop a used ticket goes on, and is in no file and in no line of the log',
  async t => {
    const { dataDir, start } = restarts(t, { LOG_LEVEL: 'debug' })
    const first = await start()
    const used = await ticketOf(first)
    const unused = await ticketOf(first)
    const stream = await byTicket(first.url, used, 'types=TaskCreated')
    await create(first)
    const seen = (await stream.until(heard => heard.some(({ type }) => type === 'TaskCreated'))).at(-1)
    t.same(holding(dataDir, used.slice(3)), [])
    await fetch(`${first.url}/nothing?ticket=${used}`)
    await fetch(`${first.url}/api/events?ticket=${used}&types=nothing`)
    await fetch(`${first.url}/v1/tasks?ticket=${used}`)
    await first.end('SIGKILL')
    await stream.over

    const second = await start()
    t.equal(await statusOf(second.url, unused), 401)
    const again = await byTicket(second.url, used, 'types=TaskCreated', { 'last-event-id': `${seen?.id}` })
    await create(second)
    await again.until(heard => heard.length === 1)
    const nonsense = `${used.slice(0, -4)}zzzz`
    t.equal(await statusOf(second.url, nonsense), 401)
    await second.end('SIGTERM')
    await again.over
    t.equal(again.end(), 'ended')

    const third = await start()
    t.equal(await statusOf(third.url, used), 200)
    await third.end('SIGTERM')
    for (const { output } of [first, second, third]) {
      t.notMatch(output(), used.slice(3))
      t.notMatch(output(), unused.slice(3))
      t.notMatch(output(), /ticket=/)
    }
    for (const ticket of [used, unused, nonsense]) t.same(holding(dataDir, ticket.slice(3, -4)), [])
  },
)

t.test('a ticket of an admin token that was replaced is nothing', async t => {
  const { start } = restarts(t)
  const first = await start({ ADMIN_TOKEN: 'the-first-admin-token' })
  const ticket = await ticketOf(first, 'the-first-admin-token')
  t.equal(await statusOf(first.url, ticket), 200)
  await first.end('SIGTERM')
  const second = await start({ ADMIN_TOKEN: 'the-second-admin-token' })
  t.equal(await statusOf(second.url, ticket), 401, 'its token has ended')
  await second.end('SIGTERM')
  const third = await start({ ADMIN_TOKEN: 'the-first-admin-token' })
  t.equal((await askEvents(third.url, { token: 'the-first-admin-token' })).status, 200)
})

t.test('a token that was revoked before a kill has no tickets left after it', async t => {
  const { start } = restarts(t)
  const first = await start()
  const token = await tokenOf(first, { role: 'subscriber' })
  const ticket = await ticketOf(first, token.token)
  t.equal(await statusOf(first.url, ticket), 200)
  await read(first.api('DELETE', `/auth/tokens/${token.id}`))
  await first.end('SIGKILL')
  const second = await start()
  t.equal(await statusOf(second.url, ticket), 401)
})
