// Files that are removed, replaced or cut while the server has them open: what would be lost is not acknowledged, what
// cannot be read is not told, and nobody is answered 500.
import { renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { type Api, serveHere } from '../support/server.ts'
import { createTask, until } from './wire.ts'

t.jobs = 5 // each waits for a look that is taken once a second

const echo = { user_message_content: 'hello', client_id: 'echo', stream: false }
const statusOf = async (api: Api): Promise<number> => {
  const answer = await api('POST', '/tasks', echo)
  await answer.text()
  return answer.status
}
const given = async (t: Test) => {
  const server = await serveHere(t, { DATA_DIR: t.testdir() })
  const ids: string[] = []
  for (let n = 0; n < 30; n++) ids.push((await createTask(server.api, echo)).id)
  const errors = () => server.lines.filter(({ level }) => level === 'error').map(({ message }) => message)
  return { ...server, ids, errors, file: (name: string) => path.join(server.dataDir, name) }
}
const asks = ['', '/events', '/rollouts']
/** Every answer about every task, which may be right or 503 with a position. */
const look = async (t: Test, api: Api, ids: string[]) => {
  for (const id of ids) {
    for (const what of asks) {
      const answer = await api('GET', `/tasks/${id}${what}`)
      const { error, data, message } = (await answer.json()) as {
        error?: { data?: object; message: string }
        data?: object
        message?: string
      }
      t.ok([200, 503].includes(answer.status), `${what} ${answer.status}`)
      const { position } = (error?.data ?? data ?? {}) as { position?: number }
      const why = message ?? error?.message ?? ''
      if (answer.status === 503) t.ok(position !== undefined || /^lists are catching up/.test(why), why)
    }
  }
}

t.test('a file that is gone stops the log until it is back, in one line', async t => {
  for (const name of ['log.db', 'secrets.db']) {
    const { api, file, errors, ids, stop } = await given(t)
    renameSync(file(name), file('away'))
    await until(`${name}: nothing more is acknowledged`, async () => (await statusOf(api)) === 503)
    await look(t, api, ids.slice(0, 2))
    await until('it is said', () => errors().length > 0)
    t.match(errors(), [
      new RegExp(`/${name} was removed while the server has it open: nothing more is stored`),
    ])
    t.equal((await api('GET', '/tasks')).status, 200, 'what is there is read')
    renameSync(file('away'), file(name))
    await until(`${name}: it goes on`, async () => (await statusOf(api)) === 200)
    t.equal(errors().length, 1)
    await stop()
  }
})

t.test('a log in the place of the log is not written to', async t => {
  const { api, file, errors } = await given(t)
  renameSync(file('log.db'), file('away'))
  writeFileSync(file('log.db'), 'something else')
  await until('nothing more is acknowledged', async () => (await statusOf(api)) === 503)
  await until('it is said', () => errors().length > 0)
  t.match(errors(), [/log\.db was replaced while the server has it open/])
})

t.test('a WAL that is gone: what was acknowledged is in the log after a kill', async t => {
  const { api, file, errors, ids, dataDir, stop } = await given(t)
  rmSync(file('log.db-wal'))
  await until('nothing more is acknowledged', async () => (await statusOf(api)) === 503)
  await until('it is said', () => errors().length > 0)
  t.match(errors(), [/log\.db-wal was removed while the server has it open/])
  const copy = path.join(dataDir, 'copy')
  await until('the log holds everything by itself', async () => statSync(file('log.db')).size > 60_000)
  await stop()
  rmSync(copy, { force: true })
  const next = await serveHere(t, { DATA_DIR: dataDir })
  for (const id of ids) t.equal((await next.api('GET', `/tasks/${id}`)).status, 200)
})

t.test('a log that is cut short tells nothing wrong, and acknowledges nothing more', async t => {
  for (const [name, length] of [
    ['log.db', 5000],
    ['log.db-wal', 9000],
  ] as const) {
    const first = await given(t)
    await first.stop() // what the log holds is in its main file
    const server = await serveHere(t, { DATA_DIR: first.dataDir })
    const more = await createTask(server.api, echo)
    server.system.log.check()
    truncateSync(first.file(name), length)
    await look(t, server.api, [...first.ids, more.id])
    await until(`${name} ${length}: writes are refused`, async () => (await statusOf(server.api)) === 503)
    const errors = () =>
      server.lines.filter(
        ({ level, message }) =>
          level === 'error' && !/^(the read models st|a checkpoint could)/.test(message),
      )
    await until('it is said', () => errors().length > 0)
    t.match(errors(), [{ message: new RegExp(`/${name} was cut short while the server has it open`) }])
    await server.stop().catch(() => {})
  }
})

t.test('a secrets.db that is noise refuses what needs it, and nothing else', async t => {
  const { api, file, errors } = await given(t)
  writeFileSync(file('secrets.db'), Buffer.alloc(8192, 'noise'))
  for (let n = 0; n < 3; n++) {
    const answer = await api('POST', '/tasks', { ...echo, env: { KEY: 'value' } })
    t.equal(answer.status, 503)
    await answer.text()
  }
  await until('it is said', () => errors().length > 0)
  t.match(errors(), [
    /secrets\.db cannot be used: it is damaged: .+; stop the server, remove the file and start again/,
  ])
  t.equal(await statusOf(api), 200)
})
