// examples/check-leaves.mjs finds nothing wrong with a real log, and whatever somebody changes in a copy of it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { read } from '../support/http.ts'
import { adminToken, apiOf, serveHere } from '../support/server.ts'

const { api, url, dataDir } = await serveHere(t)
const folder = t.testdir({})
const script = path.resolve(import.meta.dirname, '../../examples/check-leaves.mjs')

const run = async (args: string[], { input = '', token = adminToken } = {}) => {
  const child = spawn(process.execPath, [script, ...args], { env: { PATH: process.env.PATH, TOKEN: token } })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  child.stdin.on('error', () => {}) // it may have seen enough
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

const { body: made } = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'ann' }))
const annsToken = (made as unknown as { token: string }).token
const ann = apiOf(url, annsToken)
const create = async (who: typeof api, text: string) => {
  await read(who('POST', '/tasks', { user_message_content: text, stream: false, client_id: 'echo' }))
}
await create(api, 'one')
await create(ann, 'odd: \u2028 \u0085 \u0000 \ud800 "')
await create(api, 'three')

type Line = Record<string, unknown> & { position: number; stream: string; revision: number; header: string }
const textOf = async (who: typeof api, query = '') =>
  (await read(who('GET', `/audit/events${query}`, undefined, { accept: 'application/x-ndjson' }))).text
const whole = await textOf(api)
const lines = whole.trimEnd().split('\n')
const events = lines.map(line => JSON.parse(line) as Line)
const count = events.length
const last = events.at(-1) as Line

t.test('a server, a file and standard input are all found to fit, in one line', async t => {
  const file = path.join(folder, 'log.ndjson')
  writeFileSync(file, whole)
  const ok = `ok: ${count} events of 5 streams, up to position ${count}, where the leaf is ${last.leaf_hash}\n`
  for (const args of [[url], [`${url}/v1/audit/events`], [file]]) {
    t.same(await run(args), { code: 0, stdout: ok, stderr: '' })
  }
  t.same(await run([], { input: whole }), { code: 0, stdout: ok, stderr: '' })
  t.same(await run(['-'], { input: whole.trimEnd() }), { code: 0, stdout: ok, stderr: '' })
})

t.test('a part is checked as the part that it is', async t => {
  t.match(await run(['--after', '5', url]), { code: 0, stdout: `ok: ${count - 5} events of ` })
  t.match(await run(['--after', '5'], { input: lines.slice(5).join('\n') }), { code: 0 })
  t.match(await run(['--stream', last.stream, url]), { code: 0, stdout: /^ok: \d+ events of 1 stream, / })
  t.match(await run(['--some', url], { token: annsToken }), { code: 0, stdout: /^ok: / })
  t.match(await run([url], { token: annsToken }), {
    code: 1,
    stdout: /^position \d+: position \d+ is missing\n$/,
  })
  t.match(await run(['--stream', last.stream], { input: whole }), { code: 1, stdout: /it is of the stream / })
})

/** A copy of the log with one of its events changed. */
const changed = (n: number, change: (event: Line) => object): string =>
  lines.map((line, at) => (at === n ? JSON.stringify(change(JSON.parse(line) as Line)) : line)).join('\n')
const without = (n: number) => lines.filter((_, at) => at !== n).join('\n')
const swapped = (n: number) => {
  const copy = [...lines]
  ;[copy[n], copy[n + 1]] = [copy[n + 1] as string, copy[n] as string]
  return copy.join('\n')
}
const n = 6
const { position } = events[n] as Line
const flip = (text: unknown) => String(text).replace(/[a-z]/, letter => (letter === 'a' ? 'b' : 'a'))

const cases: Record<string, [text: string, at: number, words: string]> = {
  'a payload is changed': [changed(n, e => ({ ...e, payload: `${e.payload} ` })), position, 'payload'],
  'a payload and what it says are changed': [
    changed(n, e => ({ ...e, payload: '{}', data: {} })),
    position,
    'payload that does not fit its digest',
  ],
  'a salt is changed': [changed(n, e => ({ ...e, salt: flip(e.salt) })), position, 'digest'],
  'a header is changed': [changed(n, e => ({ ...e, header: `${e.header} ` })), position, 'leaf'],
  'a leaf is changed': [changed(n, e => ({ ...e, leaf_hash: flip(e.leaf_hash) })), position, 'leaf'],
  'what is shown as data is changed': [
    changed(n, e => ({ ...e, data: { more: 1 } })),
    position,
    'other data',
  ],
  'what is shown as the type is changed': [
    changed(n, e => ({ ...e, type: 'Other' })),
    position,
    'another type',
  ],
  'what is shown as the time is changed': [changed(n, e => ({ ...e, time: 'x' })), position, 'another time'],
  'what is shown as the cause is changed': [
    changed(n, e => ({ ...e, causation_id: 'x' })),
    position,
    'another causation_id',
  ],
  'a text is no text': [changed(n, e => ({ ...e, salt: null })), position, 'lacks'],
  'an event is left out': [without(n), position + 1, `position ${position} is missing`],
  'the first event is left out': [without(0), 2, 'position 1 is missing'],
  'two events are swapped': [swapped(n), position + 1, `position ${position} is missing`],
  'an event is there twice': [
    [...lines.slice(0, n + 1), ...lines.slice(n)].join('\n'),
    position,
    `it comes after position ${position}`,
  ],
  'positions are told anew to hide a hole': [
    lines
      .filter((_, at) => at !== n)
      .map((line, at) => JSON.stringify({ ...(JSON.parse(line) as Line), position: at + 1 }))
      .join('\n'),
    position,
    'is missing',
  ],
}
for (const [what, [text, at, words]] of Object.entries(cases)) {
  t.test(`${what}: it is named by its position`, async t => {
    const { code, stdout, stderr } = await run([], { input: text })
    t.equal(code, 1)
    t.equal(stderr, '')
    t.ok(stdout.startsWith(`position ${at}: `), stdout)
    t.ok(stdout.includes(words), stdout)
    t.equal(stdout.trimEnd().split('\n').length, 1)
  })
}

t.test('a hole in a stream is found where other streams are not known', async t => {
  const own = (await textOf(ann)).trimEnd().split('\n')
  const positions = own.map(line => (JSON.parse(line) as Line).position)
  t.match(await run(['--some'], { input: own.join('\n') }), { code: 0 })
  for (const hole of [0, 1, 3]) {
    const input = own.filter((_, at) => at !== hole).join('\n')
    const next = new RegExp(`^position ${positions[hole + 1]}: revision \\d+ of \\S+ is missing\n$`)
    // The token's own stream has one event: that it is gone cannot be seen.
    const expected = hole === 0 ? { code: 0 } : { code: 1, stdout: next }
    t.match(await run(['--some'], { input }), expected)
  }
})

t.test('what is no log is no log', async t => {
  t.same(await run([], { input: '' }), { code: 1, stdout: 'no event was read\n', stderr: '' })
  t.match(await run([], { input: whole.slice(0, -20) }), {
    code: 1,
    stdout: `after position ${count - 1}: this line is not an event`,
  })
  for (const line of ['null', '7', '{}', '{"position":"1"}', '[]']) {
    t.match(
      await run([], { input: line }),
      { code: 1, stdout: 'after position 0: this line is not an event' },
      line,
    )
  }
})

t.test('a damaged log is named by the server, or breaks off where it is damaged', async t => {
  const db = new Database(path.join(dataDir, 'log.db'))
  db.exec('DROP TRIGGER events_are_never_changed')
  db.prepare("UPDATE events SET payload = '{}' WHERE position = ?").run(position)
  db.close()
  t.same(await run([url]), {
    code: 1,
    stdout: `after position ${position - 1}: the answer breaks off\n`,
    stderr: '',
  })
  t.match(await run(['--after', String(position - 1), url]), {
    code: 1,
    stdout: `position ${position}: the server cannot read it\n`,
  })
})

t.test('who cannot be asked is no difference, and wrong usage says how it is used', async t => {
  t.match(await run([url], { token: 'wrong' }), { code: 3, stdout: '', stderr: /answered 401/ })
  t.match(await run(['http://127.0.0.1:1']), { code: 3, stderr: /cannot be reached/ })
  for (const args of [['--nothing'], ['a', 'b'], ['--after', '-1'], ['--after', 'x']]) {
    t.match(await run(args), { code: 2, stdout: '', stderr: /usage: / }, args.join(' '))
  }
  t.match(await run([path.join(folder, 'none')]), { code: 3, stdout: '', stderr: /ENOENT/ })
})
