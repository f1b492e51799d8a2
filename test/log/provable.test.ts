// Everything here is computed as an auditor would, with createHash, from the stored bytes alone.

import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import t from 'tap'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import type { Row } from '../../src/log/store.ts'
import { realWorld } from '../../src/platform/world.ts'
import { fileIn, numbered, onBothStores, openFile, openOn, to } from './support.ts'

const sha256 = (...parts: (string | Buffer)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('base64url')
}
const keys = [
  ...['stream', 'revision', 'type', 'schema_version', 'time', 'principal', 'owner', 'session_id'],
  ...['correlation_id', 'causation_id', 'build'],
]

const odd = { text: 'ä\0\ud800 \ufffd😀', __key: ['\u2028', 1e300], nested: { '': null } }
const appended = [
  { ...to('task-1', -1, {}, odd, { n: 1 }, { n: 1 }), owner: 'Zoë\0\udfff', principal: '"\\' },
  {
    ...to('env-2', -1),
    events: [
      { type: 'WithFrames', schema_version: 2, data: odd, seq: 0, frames: 0 },
      { type: 'WithFrames', schema_version: 12, data: { n: 2 }, seq: 41, frames: 3 },
    ],
  },
]

onBothStores('every digest and every leaf follow from the stored text alone', async (t, { log, store }) => {
  await log.append(appended)
  const rows = store.page(0, 100)
  t.equal(rows.length, 6)
  for (const { header, payload, salt, leaf, position } of rows) {
    t.equal(leaf, sha256(Buffer.of(0), Buffer.from(header, 'utf8')), `leaf ${position}`)
    t.equal(JSON.parse(header).digest, sha256(Buffer.from(`${salt}${payload}`, 'utf8')), `digest ${position}`)
  }
})

onBothStores(
  'a header has its documented keys in their order, and the digest last',
  async (t, { log, store }) => {
    await log.append(appended)
    for (const { header, position } of store.page(0, 100)) {
      const framed = position > 4 ? ['seq', 'frames'] : []
      t.same(Object.keys(JSON.parse(header)), [...keys, ...framed, 'digest'])
      t.equal(header, JSON.stringify(JSON.parse(header)), 'with nothing between')
      t.match(header, /,"digest":"[\w-]{43}"\}$/)
    }
  },
)

onBothStores('a payload is the JSON of the data, and {} where there is none', async (t, { log, store }) => {
  await log.append(appended)
  const payloads = store.page(0, 100).map(({ payload }) => payload)
  t.equal(payloads[0], '{}')
  t.equal(payloads[1], JSON.stringify(odd))
})

onBothStores('equal data has equal digests nowhere', async (t, { log, store }) => {
  await log.append([to('a', -1, ...numbered(50).map(() => ({ same: true })))])
  const rows = store.page(0, 100)
  t.equal(new Set(rows.map(({ payload }) => payload)).size, 1)
  t.equal(new Set(rows.map(({ header }) => JSON.parse(header).digest)).size, 50)
  t.equal(new Set(rows.map(({ leaf }) => leaf)).size, 50)
})

t.test('the bytes in the file are the bytes that are hashed', async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  await log.append(appended)
  await log.close()
  const db = new Database(file, { readonly: true })
  const rows = db
    .prepare<[], Record<'header' | 'payload' | 'salt' | 'leaf', Buffer>>(
      `SELECT CAST(header AS BLOB) AS header, CAST(payload AS BLOB) AS payload, CAST(salt AS BLOB) AS salt,
         CAST(leaf AS BLOB) AS leaf FROM events`,
    )
    .all()
  const types = db
    .prepare('SELECT DISTINCT typeof(header) || typeof(payload) || typeof(salt) FROM events')
    .pluck()
  t.same(types.all(), ['texttexttext'])
  db.close()
  t.equal(rows.length, 6)
  for (const { header, payload, salt, leaf } of rows) {
    t.equal(leaf.toString(), sha256(Buffer.of(0), header))
    t.equal(JSON.parse(header.toString()).digest, sha256(salt, payload))
  }
})

t.test('a file takes digests that are known, and a wrong one is found when its event is read', async t => {
  const folder = t.testdir({ computed: {}, known: {}, wrong: {} })
  const batch = {
    ...{ first: 1, streamNos: [1], revisions: [0], newStreams: [{ no: 1, id: 'a' }], long: [], erasures: [] },
    texts: ['{"stream":"a","revision":0,"time":"2026-01-01T00:00:00.000Z"', '{}', 'salt'],
  }
  const stored = async (name: string, digests: { digests?: string }) => {
    const store = sqliteStore(fileIn(`${folder}/${name}`), () => 'log_test')
    await store.write({ ...batch, ...digests })
    return { log: await openOn(t, store), rows: store.page(0, 1) }
  }
  const { rows } = await stored('computed', {})
  t.same((await stored('known', { digests: sha256(Buffer.from('salt{}')) })).rows, rows)
  const { log } = await stored('wrong', { digests: sha256(Buffer.from('other')) })
  await t.rejects(log.lastOf('a'), { message: /digest/ })
})

t.test('salts are sixteen bytes as base64url and never the same twice', async t => {
  const file = fileIn(t.testdir({}))
  const salts: string[] = []
  for (const from of [0, 3000]) {
    const store = await sqliteStore(file, () => 'log_test')
    const log = await openOn(t, store, realWorld())
    await log.append([to('a', from - 1, ...numbered(3000))])
    salts.push(...store.page(from, 3000).map(({ salt }: Row) => salt ?? ''))
    await log.close()
  }
  t.equal(salts.length, 6000)
  t.ok(salts.every(salt => /^[\w-]{22}$/.test(salt) && Buffer.from(salt, 'base64url').length === 16))
  t.equal(new Set(salts).size, 6000)
  const heads = new Set(salts.map(salt => Buffer.from(salt, 'base64url')[0]))
  t.ok(heads.size > 200, 'they look random')
})

t.test('the leaf of a known header is the one that RFC 6962 gives', async t => {
  // Computed with Python: base64.urlsafe_b64encode(hashlib.sha256(b'\0' + header.encode()).digest())
  const { leafOf, digestOf } = await import('../../src/log/leaf.ts')
  t.equal(
    Buffer.from(leafOf(''), 'base64url').toString('hex'),
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  )
  t.equal(leafOf('{"stream":"täsk"}'), 'mjckEAN4yezaeuFUlU2AvRTXBKialtRp0rukA4qXKXo')
  t.equal(digestOf('AAAAAAAAAAAAAAAAAAAAAA', '{"a":"ä"}'), '8m8SxtFi_71Z-NgOfQP7nOyKlMC9vvhjOSXDOSduDiM')
})
