// What an auditor is told of a log that somebody has changed: never a wrong event, and where the first one stands.

import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { read } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'

const { api, url, dataDir, lines } = await serveHere(t)
const tokenOf = async (body: object) => {
  const { body: made } = await read(api('POST', '/auth/tokens', body))
  return apiOf(url, (made as unknown as { token: string }).token)
}
const ann = await tokenOf({ role: 'user', user_id: 'ann' })
const bob = await tokenOf({ role: 'user', user_id: 'bob' })
const auditor = await tokenOf({ role: 'auditor' })
for (const who of [ann, bob, ann, bob]) {
  await (await who('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo' })).text()
}

type Place = { position: number; stream: string }
const ndjson = { accept: 'application/x-ndjson' }
const get = async (who: typeof api, query = '') => {
  const { status, text, body } = await read(who('GET', `/audit/events${query}`))
  const { data: events = [], has_more } =
    status === 200 ? (JSON.parse(text) as { data: Place[]; has_more: boolean }) : {}
  return { status, positions: events.map(({ position }) => position), has_more, error: body as unknown }
}
/** The lines that came, and whether the answer came to its end. */
const stream = async (who: typeof api, query = '') => {
  const response = await who('GET', `/audit/events${query}`, undefined, ndjson)
  let text = ''
  let whole = true
  try {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString()
  } catch {
    whole = false
  }
  const got = text.split('\n').slice(0, -1)
  return { status: response.status, whole, positions: got.map(line => (JSON.parse(line) as Place).position) }
}
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
const damaged = (position: number) => ({
  code: -32603,
  message: /does not match|cannot be read/,
  data: { position },
})

const { positions: all } = await get(auditor, '?limit=1000')
const { data: events } = (await (await ann('GET', '/audit/events?limit=1000')).json()) as { data: Place[] }
const anns = events.map(({ position }) => position)
const bobs = (await get(bob, '?limit=1000')).positions
// An event of ann's first task, not its first one; and one of bob's before and after it.
const at = anns[4] ?? 0
const annsStream = events[4]?.stream ?? ''

/** Changes the file as somebody who may write to it, while the server runs. */
const tamper = (sql: string, ...values: unknown[]) => {
  const db = new Database(path.join(dataDir, 'log.db'))
  db.pragma('foreign_keys = OFF')
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all() as {
    name: string
    sql: string
  }[]
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  db.prepare(sql).run(...values)
  for (const { sql } of triggers) db.exec(sql)
  db.close()
}
const rowAt = (position: number) => {
  const db = new Database(path.join(dataDir, 'log.db'), { readonly: true })
  const row = db.prepare('SELECT * FROM events WHERE position = ?').get(position) as Record<string, unknown>
  db.close()
  return row
}
const putBack = (row: Record<string, unknown>) => {
  const columns = Object.keys(row)
  tamper(
    `INSERT INTO events (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
    ...Object.values(row),
  )
}
const kept = rowAt(at)
const restore = (column: string) =>
  tamper(`UPDATE events SET ${column} = ? WHERE position = ?`, kept[column], at)

for (const [column, expression] of Object.entries({
  payload: "replace(payload, ':', ' :')",
  salt: "'AAAAAAAAAAAAAAAAAAAAAA'",
  leaf: "'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'",
  header: `replace(header, '"principal":"', '"principal":"not ')`,
})) {
  t.test(`a changed ${column}`, async t => {
    tamper(`UPDATE events SET ${column} = ${expression} WHERE position = ?`, at)
    t.match(await get(auditor, '?limit=1000'), { status: 503, error: damaged(at) })
    t.match(await get(auditor, `?stream=${annsStream}`), { status: 503, error: damaged(at) })
    t.match(await get(ann), { status: 503, error: damaged(at) })

    const before = await get(auditor, `?limit=${at - 1}`)
    t.same([before.positions, before.has_more], [upTo(at - 1), true], 'what stands before it is answered')
    t.match(await get(auditor, `?after=${at - 1}&limit=1`), { status: 503, error: damaged(at) })
    t.equal((await get(auditor, `?after=${at}&limit=1000`)).positions.length, all.length - at)

    t.same(
      await stream(auditor),
      { status: 200, whole: false, positions: upTo(at - 1) },
      'then the lines break off',
    )
    t.equal(
      (await stream(auditor, `?after=${at - 1}`)).status,
      503,
      'before the first line there is an answer',
    )

    t.same((await get(bob, '?limit=1000')).positions, bobs, 'who does not see it is not held up by it')
    t.same((await stream(bob)).positions, bobs)
    restore(column)
    t.same((await get(auditor, '?limit=1000')).positions, all)
  })
}

t.test('an event that is gone is missed where it stood', async t => {
  tamper('DELETE FROM events WHERE position = ?', at)
  t.match(await get(auditor, '?limit=1000'), { status: 503, error: damaged(at) })
  t.match(await get(auditor, `?stream=${annsStream}`), { status: 503, error: damaged(at + 1) })
  t.same((await get(bob, '?limit=1000')).positions, bobs)
  putBack(kept)
  t.same((await get(auditor, '?limit=1000')).positions, all)
})

t.test('the last event of a stream is missed when it is gone', async t => {
  const own = events.filter(({ stream }) => stream === annsStream).map(({ position }) => position)
  const last = own.at(-1) ?? 0
  const row = rowAt(last)
  tamper('DELETE FROM events WHERE position = ?', last)
  t.match(await get(auditor, `?stream=${annsStream}`), { status: 503, error: damaged(last) })
  t.match(await get(ann, `?stream=${annsStream}&after=${own.at(-2)}`), { status: 503, error: damaged(last) })
  t.same((await get(auditor, `?stream=${annsStream}&after=${last}`)).positions, [], 'nobody asks for it')
  putBack(row)
  t.same((await get(auditor, `?stream=${annsStream}`)).positions, own)
})

t.test('a stream whose name is gone is missed by those who may read it', async t => {
  const own = events.filter(({ stream }) => stream === annsStream).map(({ position }) => position)
  const [first = 0] = own
  const { stream_no: no } = rowAt(first)
  const missing = (position: number) => ({ status: 503, error: damaged(position) })
  tamper('DELETE FROM streams WHERE no = ?', no)
  t.match(await get(auditor, '?limit=1000'), missing(first))
  t.match(await get(ann, '?limit=1000'), missing(first))
  t.match(await get(auditor, `?stream=${annsStream}`), missing(own.at(-1) ?? 0))
  for (const who of [auditor, ann]) {
    const { status, body } = await read(who('GET', '/audit/streams'))
    t.match({ status, error: body as unknown }, missing(first))
  }
  t.same((await get(bob, '?limit=1000')).positions, bobs)
  t.equal((await bob('GET', '/audit/streams')).status, 200)
  t.equal((await get(bob, `?stream=${annsStream}`)).status, 404)
  tamper('INSERT INTO streams (no, id) VALUES (?, ?)', no, annsStream)
  t.same((await get(auditor, `?stream=${annsStream}`)).positions, own)
})

t.test('a stream whose first event is damaged is nobody else’s to name', async t => {
  const first =
    anns.find(position => events.find(event => event.position === position)?.stream === annsStream) ?? 0
  tamper(`UPDATE events SET leaf = '' WHERE position = ?`, first)
  t.match(await get(auditor, `?stream=${annsStream}`), { status: 503, error: damaged(first) })
  t.equal((await get(bob, `?stream=${annsStream}`)).status, 404)
  t.equal((await auditor('GET', '/audit/streams')).status, 503)
  t.equal((await bob('GET', '/audit/streams')).status, 200)
})

t.test('the operator hears of each failed answer, with its id', async t => {
  const [one] = lines.filter(({ level }) => level === 'warn')
  t.match(one, {
    message: 'request',
    fields: { route: '/v1/audit/events', status: 503, request_id: /^req_/ },
  })
  // A part of the server that reads the log meanwhile meets the damage too, and says so in a line without a route.
  const errors = lines.filter(({ level, fields }) => level === 'error' && 'route' in Object(fields))
  for (const { message } of lines.filter(({ level }) => level === 'error')) t.comment(message)
  t.equal(errors.length, 4, 'and why each answer broke off')
  for (const { fields } of errors) t.match(fields, { route: '/v1/audit/events', error: `position ${at} ` })
})
