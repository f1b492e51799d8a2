// The log over HTTP: every stored event with the texts that its hashes were made of, for those who may see it.

import { createHash } from 'node:crypto'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { brief, read } from '../support/http.ts'
import { type Api, apiOf, serveHere } from '../support/server.ts'

type Line = Record<string, unknown> & {
  position: number
  stream: string
  revision: number
  type: string
  data: Record<string, unknown>
  leaf_hash: string
  header: string
  payload: string
  salt: string
}
type Summary = {
  stream: string
  revision: number
  first_position: number
  last_position: number
  last_type: string
  owner: string
}

const { api, url, dataDir, lines } = await serveHere(t)
const tokenOf = async (body: object): Promise<Api> => {
  const { body: made } = await read(api('POST', '/auth/tokens', body))
  return apiOf(url, (made as unknown as { token: string }).token)
}
const ann = await tokenOf({ role: 'user', user_id: 'ann' })
const bob = await tokenOf({ role: 'user', user_id: 'bob' })
const anyone = await tokenOf({ role: 'user' })
const auditor = await tokenOf({ role: 'auditor' })
const bobsAuditor = await tokenOf({ role: 'auditor', user_id: 'bob' })
const subscriber = await tokenOf({ role: 'subscriber' })

const odd = 'a\u2028b\u0085c\nd\u0000e \ud800 "quoted" \\ end'
const create = (who: Api, body: object) =>
  read(who('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo', ...body }))
await create(ann, { task_id: 'anns', user_message_content: odd })
await create(bob, { task_id: 'bobs' })
await create(ann, { task_id: 'gone' })
await ann('DELETE', '/tasks/gone')

const ndjson = { accept: 'application/x-ndjson' }
const page = async (who: Api, query = '') => {
  const { status, text } = await read(who('GET', `/audit/events${query}`))
  return { status, ...(JSON.parse(text) as { data: Line[]; has_more: boolean; next_cursor: string | null }) }
}
const linesOf = async (who: Api, query = ''): Promise<Line[]> => {
  const { text } = await read(who('GET', `/audit/events${query}`, undefined, ndjson))
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Line)
}
const streamsOf = async (who: Api, query = '') => {
  const { text } = await read(who('GET', `/audit/streams${query}`))
  return JSON.parse(text) as { data: Summary[]; has_more: boolean; next_cursor: string | null }
}
/** A list that ends here. */
const listOf = (data: unknown[]) => ({ object: 'list', data, has_more: false, next_cursor: null })
const sha = (text: string) => createHash('sha256').update(text, 'utf8').digest('base64url')
const stored = () => {
  const db = new Database(path.join(dataDir, 'log.db'), { readonly: true })
  const rows = db.prepare('SELECT position, header, payload, salt, leaf FROM events ORDER BY position').all()
  db.close()
  return rows as { position: number; header: string; payload: string; salt: string; leaf: string }[]
}

t.test('the events are those of the file, text by text, and their leaves can be computed', async t => {
  const { data: events, has_more } = await page(auditor, '?limit=1000')
  t.notOk(has_more)
  t.same(
    events.map(({ position, header, payload, salt, leaf_hash: leaf }) => ({
      position,
      header,
      payload,
      salt,
      leaf,
    })),
    stored(),
  )
  for (const event of events) {
    const { header, payload, salt, leaf_hash, data, position: _, ...about } = event
    t.equal(leaf_hash, sha(`\0${header}`))
    const said = JSON.parse(header) as Record<string, unknown>
    t.equal(said.digest, sha(salt + payload))
    t.same(data, JSON.parse(payload))
    t.strictSame(about, Object.fromEntries(Object.keys(about).map(key => [key, said[key]])))
  }
  t.same(Object.keys(events[0] ?? {}), [
    'position',
    'stream',
    'revision',
    'type',
    'schema_version',
    'time',
    'principal',
    'correlation_id',
    'causation_id',
    'data',
    'leaf_hash',
    'header',
    'payload',
    'salt',
  ])
})

t.test('odd text comes back as it was sent, each event on one line for every reader of lines', async t => {
  const { text, headers } = await read(auditor('GET', '/audit/events?stream=task-anns', undefined, ndjson))
  t.match(headers.get('content-type'), /^application\/x-ndjson/)
  const all = text.trimEnd().split(/\r\n|[\n\r\u0085\u2028\u2029]/)
  t.equal(all.length, text.split('\n').length - 1)
  const created = JSON.parse(all[0] ?? '') as { data: { request: { user_message_content: string } } }
  t.equal(created.data.request.user_message_content, odd)
})

t.test('pages follow each other by position, and lines say the same', async t => {
  const paged: Line[] = []
  for (let after = 0, more = true; more; ) {
    const { data: events, has_more } = await page(auditor, `?after=${after}&limit=3`)
    paged.push(...events)
    t.ok(events.length === 3 || !has_more)
    after = events.at(-1)?.position ?? after
    more = has_more
  }
  t.same(
    paged.map(({ position }) => position),
    paged.map((_, n) => n + 1),
  )
  t.same(await linesOf(auditor), paged)
  t.same(await linesOf(auditor, '?after=4&limit=2'), paged.slice(4, 6))
  const head = paged.length
  t.same(await page(auditor, `?after=${head}`), { status: 200, ...listOf([]) })
  t.same(await linesOf(auditor, `?after=${head}`), [])
  const exact = await page(auditor, `?after=${head - 3}&limit=3`)
  t.notOk(exact.has_more, 'a page that ends at the head says so')
})

t.test('a page without a limit holds a hundred events, lines without one hold all', async t => {
  const many = Array.from({ length: 30 }, (_, n) => create(api, { task_id: `many-${n}`, user_id: 'many' }))
  await Promise.all(many)
  const { data: events, has_more } = await page(auditor)
  t.equal(events.length, 100)
  t.ok(has_more)
  t.equal((await linesOf(auditor)).length, stored().length)
})

t.test('a stream is read alone, by position still, and a deleted task is there', async t => {
  const all = await linesOf(auditor)
  for (const stream of ['task-anns', 'task-gone', ...new Set(all.map(event => event.stream))]) {
    const own = all.filter(event => event.stream === stream)
    const query = `?stream=${encodeURIComponent(stream)}`
    t.same((await page(auditor, query)).data, own, stream)
    const after = own[0]?.position ?? 0
    t.same(await linesOf(auditor, `${query}&after=${after}`), own.slice(1), 'after its first')
    t.same((await page(auditor, `${query}&after=${after - 1}&limit=1`)).data, own.slice(0, 1))
  }
  t.equal((await page(ann, '?stream=task-gone')).data.at(-1)?.type, 'TaskDeleted')
  t.equal((await api('GET', '/tasks/gone')).status, 404)
})

t.test('streams come in the order of their creation, each with its ends', async t => {
  const all = await linesOf(auditor)
  const expected = [...new Set(all.map(({ stream }) => stream))].map(stream => {
    const own = all.filter(event => event.stream === stream)
    const [first, last] = [own[0] as Line, own.at(-1) as Line]
    return {
      stream,
      revision: last.revision,
      first_position: first.position,
      last_position: last.position,
      last_type: last.type,
      owner: (JSON.parse(first.header) as { owner: string }).owner,
    }
  })
  t.same(await streamsOf(auditor, '?limit=1000'), listOf(expected))
  const paged: Summary[] = []
  for (let more = true; more; ) {
    const { data: streams, has_more } = await streamsOf(
      auditor,
      `?after=${paged.at(-1)?.first_position ?? 0}&limit=4`,
    )
    paged.push(...streams)
    more = has_more
  }
  t.same(paged, expected)
  for (const after of all.map(({ position }) => position)) {
    const { data: streams } = await streamsOf(auditor, `?after=${after}&limit=1`)
    t.same(
      streams[0],
      expected.find(({ first_position }) => first_position > after),
      `after ${after}`,
    )
  }
})

t.test('who stands for a user reads what that user owns, and nothing says that there is more', async t => {
  const all = await linesOf(api)
  const ownerOf = ({ header }: Line) => (JSON.parse(header) as { owner: string }).owner
  for (const [who, user] of [
    [ann, 'ann'],
    [bob, 'bob'],
    [bobsAuditor, 'bob'],
  ] as const) {
    const own = all.filter(event => ownerOf(event) === user)
    t.ok(own.length > 5)
    t.same(await linesOf(who), own)
    t.same(await page(who, '?limit=1000'), { status: 200, ...listOf(own) })
    t.notOk((await page(who, `?limit=${own.length}`)).has_more)
    t.ok((await page(who, `?limit=${own.length - 1}`)).has_more)
    const names = [...new Set(own.map(({ stream }) => stream))]
    t.same(
      (await streamsOf(who)).data.map(({ stream }) => stream),
      names,
    )
    t.equal((await streamsOf(who, `?limit=${names.length}`)).has_more, false)
  }
  t.same(await linesOf(auditor), all, 'an auditor of all users reads all')
})

t.test("another's stream answers as one that does not exist", async t => {
  const same = { 'x-request-id': 'same' }
  const ask = (who: Api, stream: string) =>
    read(who('GET', `/audit/events?stream=${stream}`, undefined, same))
  for (const who of [bob, bobsAuditor]) {
    const foreign = await ask(who, 'task-anns')
    t.equal(foreign.status, 404)
    t.equal(foreign.text, (await ask(who, 'task-none')).text)
  }
  t.equal((await ask(auditor, 'task-none')).status, 404)
  t.equal((await ask(auditor, '')).status, 404)
})

t.test("a user token without a user reads no administrator's tokens", async t => {
  const all = await linesOf(api)
  const owned = all.filter(({ header }) => (JSON.parse(header) as { owner: string }).owner !== '')
  t.ok(owned.length < all.length)
  t.same(await linesOf(anyone), owned)
  const nobodys = all.find(event => !owned.includes(event)) as Line
  t.equal((await anyone('GET', `/audit/events?stream=${nobodys.stream}`)).status, 404)
  t.ok((await streamsOf(anyone, '?limit=1000')).data.every(({ owner }) => owner !== ''))
})

t.test('streams are listed newest first, page by page, for everybody and for a user', async t => {
  for (const [who, search] of [
    [auditor, ''],
    [ann, ''],
    [auditor, '&search=task'],
  ] as const) {
    const oldestFirst = (await streamsOf(who, `?limit=1000${search}`)).data
    const newestFirst: Summary[] = []
    for (let more = true; more; ) {
      const before = newestFirst.at(-1)?.first_position
      const cursor = before === undefined ? '' : `&before=${before}`
      const page = await streamsOf(who, `?order=desc&limit=2${search}${cursor}`)
      newestFirst.push(...page.data)
      more = page.has_more
    }
    t.ok(oldestFirst.length > 2)
    t.same(newestFirst, oldestFirst.toReversed())
    const [third] = oldestFirst.slice(2)
    const between = await streamsOf(
      who,
      `?after=${oldestFirst[0]?.first_position}&before=${third?.first_position}${search}`,
    )
    t.same(between.data, oldestFirst.slice(1, 2))
  }
})

t.test('a subscriber may not, and nobody may without a token', async t => {
  for (const where of ['/audit/events', '/audit/streams', '/audit/events?stream=task-none']) {
    t.equal((await subscriber('GET', where)).status, 403)
    t.equal((await fetch(`${url}/v1${where}`)).status, 401)
  }
})

t.test('what is no query is refused with its place', async t => {
  const cases: Record<string, string[]> = {
    '/audit/events?limit=0': ['query limit greater_than_equal'],
    '/audit/events?limit=1001&after=-1': ['query after greater_than_equal', 'query limit less_than_equal'],
    '/audit/events?after=x&limit=': ['query after int_parsing', 'query limit int_parsing'],
    '/audit/events?stream=a&stream=b': ['query stream string_type'],
    '/audit/events?after=999999': ['query after value_error'],
    '/audit/streams?after=999999': ['query after value_error'],
    '/audit/streams?limit=1e2': ['query limit int_parsing'],
  }
  for (const [where, expected] of Object.entries(cases)) {
    for (const headers of [{}, ndjson]) {
      const { status, body } = await read(auditor('GET', where, undefined, headers))
      t.equal(status, 422, where)
      t.same(brief(body.detail), expected, where)
    }
  }
})

t.test('a page of long contents ends early, and the next one goes on from there', async t => {
  const long = 'x'.repeat(3_000_000)
  for (let n = 0; n < 4; n++)
    await create(api, { task_id: `long-${n}`, user_message_content: long, user_id: 'long' })
  const read: number[] = []
  let pages = 0
  for (let more = true; more; pages++) {
    const { data: events, has_more } = await page(auditor, `?limit=1000&after=${read.at(-1) ?? 0}`)
    read.push(...events.map(({ position }) => position))
    more = has_more
  }
  t.ok(pages > 1, `${pages} pages`)
  t.same(
    read,
    read.map((_, n) => n + 1),
  )
  t.equal(read.length, stored().length)
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error' || level === 'warn'),
    [],
  )
})
