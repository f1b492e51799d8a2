// read.db with damage that its opening does not see: it is found when it is read, never told, and mended without
// anybody's help.

import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { withoutUses } from '../support/http.ts'
import { type Api, serveHere } from '../support/server.ts'
import { createTask, play, until, untilStatus } from './wire.ts'

const pageSize = 4096
const text = 'a sentence that stands in many places'

const dataDir = t.testdir({ sound: {}, damaged: {} })
const [sound, damaged] = [path.join(dataDir, 'sound'), path.join(dataDir, 'damaged')]
const file = path.join(damaged, 'read.db')

/** What can be read without being said wrongly: answers with 200, by their paths. */
const told = async (api: Api): Promise<Map<string, string>> => {
  const answers = new Map<string, string>()
  const ask = async (where: string): Promise<string | undefined> => {
    const answer = await api('GET', where)
    const body = await answer.text()
    if (answer.status !== 503 && answer.status !== 200) answers.set(where, `${answer.status} ${body}`)
    if (answer.status === 200)
      answers.set(where, withoutUses(body.replace(/^\{"jsonrpc":"2.0","id":"[^"]+"/, '')))
    return answer.status === 200 ? body : undefined
  }
  for (const id of ids) await ask(`/tasks/${id}`)
  await ask('/tasks?limit=100')
  await ask('/tasks?limit=100&status=completed&user_id=user-1')
  await ask('/tasks?limit=100&session_id=session-2')
  await ask('/env/sessions')
  await ask('/auth/tokens')
  return answers
}

const ids: string[] = []
let expected = new Map<string, string>()

t.before(async () => {
  const server = await serveHere(t, { DATA_DIR: sound })
  for (let n = 0; n < 40; n++) {
    const body = {
      user_message_content: `${text} ${n}`,
      client_id: 'echo',
      user_id: `user-${n % 3}`,
      session_id: `session-${n % 5}`,
    }
    ids.push((await createTask(server.api, body)).id)
  }
  const { id } = await play(server.api, [{ pause: 'tea' }])
  ids.push(id)
  await untilStatus(server.api, id, 'paused')
  await server.api('POST', '/env/create', { env_id: 'gridworld', session_id: 'grid' })
  await server.api('POST', '/env/close', { session_id: 'grid' })
  for (let n = 0; n < 20; n++)
    await server.api('POST', '/auth/tokens', { role: 'user', user_id: `user-${n}` })
  expected = await told(server.api)
  await server.stop()
})

/** Until then nothing else may be told. */
const untilToldAgain = (t: Test, api: Api, what: string): Promise<true> =>
  until(`${what}: everything is told again`, async () => {
    const answers = await told(api)
    for (const [where, answer] of answers) {
      if (answer !== expected.get(where)) t.equal(answer, expected.get(where), `${what}: ${where}`)
    }
    return answers.size === expected.size
  })

const fresh = () => {
  rmSync(damaged, { recursive: true, force: true }) // a WAL that was left would be read with another file
  cpSync(sound, damaged, { recursive: true })
  return readFileSync(file)
}

/** The first pages of each table and index, by their names, a few together. */
const someRoots = (): [string, number][][] => {
  fresh()
  const db = new Database(file, { readonly: true })
  const roots = db
    .prepare<[], [string, number]>('SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0')
    .raw()
    .all()
  db.close()
  return [0, 1, 2, 3, 4].map(group => roots.filter((_, n) => n % 5 === group))
}

t.test('pages of any table or index that are noise', async t => {
  for (const roots of someRoots()) {
    const names = roots.map(([name]) => name).join(', ')
    const bytes = fresh()
    for (const [, page] of roots)
      for (let at = 0; at < pageSize; at++) bytes[(page - 1) * pageSize + at] = (at * 131 + (at >> 3)) & 255
    writeFileSync(file, bytes)
    const server = await serveHere(t, { DATA_DIR: damaged })
    await untilToldAgain(t, server.api, names)
    t.same(
      server.lines.filter(({ level }) => level === 'error'),
      [],
      names,
    )
    const { id } = await createTask(server.api, { user_message_content: 'and on', client_id: 'echo' })
    // What nobody has read yet may be found damaged when it is written.
    await until(
      `${names}: work goes on`,
      async () => (await server.api('GET', `/tasks/${id}`)).status === 200,
    )
    await server.stop()
  }
})

t.test('damage that retention finds while the server starts does not end the start', async t => {
  const bytes = fresh()
  const db = new Database(file, { readonly: true })
  const leaf = db.prepare<[], number>(
    "SELECT pageno FROM dbstat WHERE name = 'tasks' AND pagetype = 'leaf' ORDER BY path",
  )
  const page = leaf.pluck().get() as number
  db.close()
  writeFileSync(file, bytes.fill('noise', (page - 1) * pageSize, page * pageSize))
  const RETENTION = path.join(dataDir, 'rules.json')
  writeFileSync(RETENTION, '[{"older_than_days": 1}]')
  const server = await serveHere(t, { DATA_DIR: damaged, RETENTION })
  t.match(server.lines[0], { level: 'warn', message: /^the read models are damaged/ })
  await untilToldAgain(t, server.api, 'a page of tasks')
})

t.test('texts that are not as they were written', async t => {
  const bytes = fresh()
  let at = bytes.indexOf(text)
  let found = 0
  for (; at !== -1; at = bytes.indexOf(text, at + 1), found++) bytes.write('A', at)
  t.ok(found >= 40, `${found} places`)
  writeFileSync(file, bytes)
  const server = await serveHere(t, { DATA_DIR: damaged })
  const first = await server.api('GET', `/tasks/${ids[0]}`)
  t.equal(first.status, 503)
  t.match(await first.json(), { error: { code: -32603 } })
  await untilToldAgain(t, server.api, 'texts')
  t.match(server.lines[0], { level: 'warn', message: /^the read models are damaged: they are rebuilt/ })
})

t.test('files that are cut short or overwritten while the server runs', async t => {
  const damages: Record<string, (path: string, length: number) => void> = {
    'cut in half': (path, length) => truncateSync(path, Math.floor(length / 2)),
    emptied: path => truncateSync(path, 0),
    'cut to a page and a half': path => truncateSync(path, 6000),
    noise: (path, length) => writeFileSync(path, Buffer.alloc(length, 'noise')),
  }
  for (const suffix of ['', '-wal']) {
    for (const [what, damage] of Object.entries(damages)) {
      fresh()
      const server = await serveHere(t, { DATA_DIR: damaged })
      await untilToldAgain(t, server.api, 'sound')
      const { id } = await createTask(server.api, { user_message_content: 'in the WAL', client_id: 'echo' })
      await server.api('GET', `/tasks/${id}`)
      await server.api('DELETE', `/tasks/${id}`)
      damage(file + suffix, statSync(file + suffix).size)
      await untilToldAgain(t, server.api, `${suffix} ${what}`)
      const said = server.lines.filter(({ level, message }) => level === 'error' || /damaged/.test(message))
      t.ok(said.length <= 1, `${suffix} ${what}: ${JSON.stringify(said)}`)
      await server.stop()
    }
  }
})

t.test('columns that are not as they were written', async t => {
  fresh()
  const db = new Database(file)
  db.exec("UPDATE tasks SET user_id = 'user-1', request_id = 'another' WHERE user_id = 'user-0'")
  db.close()
  const server = await serveHere(t, { DATA_DIR: damaged })
  await untilToldAgain(t, server.api, 'columns')
})
