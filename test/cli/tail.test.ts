// reprise tail, as a process: beside a server, over its restarts, and without one.
import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { envCalls, modules } from '../http/env-calls.ts'
import { createTask, play, until, untilStatus } from '../server/wire.ts'
import { type Api, adminToken, runReprise, serveHere, spawnServer } from '../support/server.ts'
import { decode } from '../support/sse.ts'
import { jsonLines, shell, start } from './support.ts'

type Told = { position: number; type: string; task_id: string }

/** Every public event, as the server gives them to subscribers. */
const eventsOf = async (url: string): Promise<Told[]> => {
  const events = await fetch(`${url}/api/events?starting_after=earliest`, {
    headers: { authorization: `Bearer ${adminToken}` },
  })
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!/"new_status":"(completed|failed)"/.test(text)) text += (await reader?.read())?.value ?? ''
  await reader?.cancel()
  return decode(text).events.map(({ id, data }) => ({ position: Number(id), ...JSON.parse(data) }))
}
const create = (api: Api, body: object = {}) =>
  createTask(api, { user_message_content: 'hello', client_id: 'echo', ...body })

t.test('it tells what subscribers are told, past and live', async t => {
  const { api, url, dataDir } = await serveHere(t)
  const tail = start(t, ['tail', '--json', '--since', 'earliest'], { DATA_DIR: dataDir })
  await tail.until(/events after position 0 \(Ctrl-C ends it\)\n/)
  const { id } = await create(api)
  const expected = await eventsOf(url)
  const told = await until('all are told', () => {
    const lines = jsonLines<Told>(tail.said.stdout)
    return lines.length === expected.length && lines
  })
  t.same(told, expected)

  const read = await shell('reprise tail --since earliest | head -n 3', { DATA_DIR: dataDir })
  t.match(read, { code: 0, stderr: /^events after position 0 .+\n$/ })
  const lines = read.stdout.trimEnd().split('\n')
  t.equal(lines.length, 3, 'who has read enough ends it, quietly')
  t.match(lines[0], new RegExp(`^ +2  [\\d:.TZ-]+  TaskCreated +${id}  default: hello$`))
  t.match(lines[2], / created -> working$/)

  tail.signal('SIGINT')
  t.equal((await tail.ended).code, 130)
})

t.test('a terminal that closes, and SIGTERM, end it too', async t => {
  const { dataDir } = await serveHere(t)
  for (const [signal, code] of [
    ['SIGHUP', 129],
    ['SIGTERM', 143],
  ] as const) {
    const tail = start(t, ['tail'], { DATA_DIR: dataDir })
    await tail.until(/events after position/)
    tail.signal(signal)
    t.equal((await tail.ended).code, code)
  }
})

t.test('without --since it begins with what comes', async t => {
  const { api, dataDir } = await serveHere(t)
  const { id: before } = await create(api)
  const tail = start(t, ['tail', '--json'], { DATA_DIR: dataDir })
  await tail.until(/events after position [1-9]\d* /)
  const { id } = await create(api)
  await tail.until(/"new_status":"completed"/)
  t.same(new Set(jsonLines<Told>(tail.said.stdout).map(({ task_id }) => task_id)), new Set([id]))
  t.not(before, id)
})

t.test('it goes on over a crash of the server, without a gap or a repeat', async t => {
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir)
  const tail = start(t, ['tail', '--json', '--since', '0'], { DATA_DIR: dataDir })
  await tail.until(/events after/)
  const { id } = await play(server.api, [{ message: 'one' }, { sleep_ms: 400 }, { message: 'two' }])
  await tail.until(/"changed":\["output"\]/)
  await server.end('SIGKILL')
  const next = await spawnServer(t, dataDir)
  await untilStatus(next.api, id, 'completed')
  const expected = await eventsOf(next.url)
  await tail.until(/"new_status":"completed"/)
  t.same(jsonLines(tail.said.stdout), expected)
})

t.test('filters: type, task, session, user, and where to begin', async t => {
  const { api, dataDir, stop } = await serveHere(t)
  const one = await create(api, { session_id: 's', user_id: 'ada' })
  const two = await create(api, { user_id: 'bob' })
  await stop()
  /** What it tells until it has told so much, and what else it told until it had ended. */
  const told = async (enough: (events: Told[]) => boolean, ...args: string[]) => {
    const tail = start(t, ['tail', '--json', '--since', 'earliest', ...args], { DATA_DIR: dataDir })
    await until('enough is told', () => enough(jsonLines(tail.said.stdout)))
    tail.signal('SIGINT')
    const { code, stdout } = await tail.ended
    t.equal(code, 130)
    return jsonLines<Told & { new_status?: string }>(stdout)
  }
  const completed = (events: (Told & { new_status?: string })[]) =>
    events.filter(({ new_status }) => new_status === 'completed').length
  const all = await told(events => completed(events) === 2)
  const filters: [string[], (event: Told) => boolean][] = [
    [
      ['--type', 'TaskCreated,AgentCompleted', '--type', 'AgentSpawned'],
      ({ type }) => /Created|Agent/.test(type),
    ],
    [['--task', two.id], ({ task_id }) => task_id === two.id],
    [['--session', 's'], ({ task_id }) => task_id === one.id],
    [['--user', 'bob'], ({ task_id }) => task_id === two.id],
    [
      ['--type', 'TaskCreated', '--since', '1'],
      ({ type, position }) => type === 'TaskCreated' && position > 1,
    ],
  ]
  for (const [args, wanted] of filters) {
    const expected = all.filter(wanted)
    t.ok(expected.length > 0 && expected.length < all.length)
    t.same(await told(events => events.length >= expected.length, ...args), expected, args.join(' '))
  }
})

t.test(
  'events of environment sessions are told to who names them, as on the streams of the server',
  async t => {
    const { api, dataDir } = await serveHere(t, { ENV_PATH: modules })
    const { made, add, close } = envCalls(api)
    const id = await made()
    await add(id, 1)
    await close(id)
    const env = { DATA_DIR: dataDir }
    const all = ['EnvSessionCreated', 'EnvStepCompleted', 'EnvSessionClosed']
    const named = start(t, ['tail', '--since', 'earliest', ...all.flatMap(type => ['--type', type])], env)
    await named.until(/EnvSessionClosed +\S+ +closed\n/)
    t.match(named.said.stdout, /^ +\d+ +\S+ +EnvSessionCreated +\S+ +default: env-\w+\n/)
    t.match(named.said.stdout, new RegExp(`EnvStepCompleted +${id} +step 1 of ${id}: add, reward 0.25\\n`))
    const usual = start(t, ['tail', '--json', '--since', 'earliest'], env)
    const ofSession = start(t, ['tail', '--json', '--since', 'earliest', '--session', id], env)
    await usual.until(/events after/)
    await ofSession.until(/events after/)
    const task = await create(api, { session_id: id }) // whatever stood before it has been told by then
    for (const tail of [usual, ofSession]) {
      await tail.until(/"new_status":"completed"/)
      const told = jsonLines<Told>(tail.said.stdout)
      t.same(new Set(told.map(({ task_id }) => task_id)), new Set([task.id]))
      t.notOk(told.some(({ type }) => type.startsWith('Env')))
    }
  },
)

t.test('a log that is replaced ends it: exit code 1', async t => {
  const { api, dataDir, stop } = await serveHere(t)
  await create(api)
  await stop()
  const tail = start(t, ['tail'], { DATA_DIR: dataDir })
  await tail.until(/events after/)
  const log = path.join(dataDir, 'log.db')
  writeFileSync(`${log}.new`, '')
  renameSync(`${log}.new`, log)
  t.match(await tail.ended, {
    code: 1,
    stdout: '',
    stderr: /\nreprise: .+log\.db was replaced or removed: start reprise tail again\n$/,
  })
})

t.test('what cannot be followed is told in one line: exit code 2', async t => {
  const { api, dataDir } = await serveHere(t)
  await create(api)
  const slips: [string[], RegExp][] = [
    [['--since', 'yesterday'], /--since yesterday is neither a position nor "earliest"/],
    [['--since', '999999'], /--since 999999 is beyond the end of the log, \d+/],
    [['--type', 'TaskCreate'], /--type TaskCreate is none of TaskCreated, /],
    [['--taks', 'x'], /unknown option '--taks' \(Did you mean --task\?\)/],
    [['x'], /too many arguments for 'tail'.*; usage: reprise tail \[options\]/],
  ]
  const tried = await Promise.all(slips.map(([args]) => runReprise(['tail', ...args], { DATA_DIR: dataDir })))
  for (const [n, { code, stdout, stderr }] of tried.entries()) {
    t.same({ code, stdout }, { code: 2, stdout: '' })
    t.match(stderr, slips[n]?.[1])
    t.match(stderr, /^reprise: .+\n$/)
  }
})
