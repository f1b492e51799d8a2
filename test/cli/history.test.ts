// reprise history, as a process: beside a server and without one.

import { cpSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { counter, envCalls, gone, modules } from '../http/env-calls.ts'
import { storedEvents } from '../server/stored-log.ts'
import { createTask, play, untilStatus } from '../server/wire.ts'
import { runReprise, serveHere } from '../support/server.ts'
import { hasTerminal, jsonLines, shell, startAtTerminal } from './support.ts'

const script = [
  { reasoning: 'hm' },
  { tool: 'calculator', arguments: { expression: '6*7' } },
  { message: 'It is $result.\u001b[31m\nSo it is.' },
  { fail: { code: -32000, message: 'enough' } },
]

/** A server that has told one story to its end. */
const given = async (t: Parameters<typeof serveHere>[0]) => {
  const server = await serveHere(t)
  const { id } = await play(server.api, script, { user_message_content: 'six times seven' })
  await createTask(server.api, { user_message_content: 'another one' })
  await untilStatus(server.api, id, 'failed')
  const run = (...args: string[]) => runReprise(['history', ...args], { DATA_DIR: server.dataDir })
  return { ...server, id, run }
}

t.test('a task is told one event a line, in the order of its revisions', async t => {
  const { id, run, dataDir } = await given(t)
  const { code, stdout, stderr } = await run(id)
  t.same({ code, stderr }, { code: 0, stderr: '' })
  const stored = storedEvents(dataDir).filter(({ stream }) => stream === `task-${id}`)
  const lines = stdout.trimEnd().split('\n')
  t.same(
    lines.map(line => line.trim().split(/ +/).slice(0, 4)),
    stored.map(({ position, revision, time, type }) => [String(position), String(revision), time, type]),
  )
  const reading = (type: string) => lines.find(line => line.includes(` ${type} `))?.split(type)[1]
  t.match(reading('TaskCreated'), /^ +script: six times seven$/)
  t.match(reading('EffectIntended'), /^ +calculator call_\w+$/)
  t.match(reading('EffectCompleted'), /^ +call_\w+ completed: 42$/)
  t.match(reading('TaskFailed'), /^ +enough \(-32000\)$/)
  t.match(stdout, /output_text: It is 42\.\[31m So it is\.$/m, 'a text is one line, and paints nothing')
})

t.test('--json gives each event as it is stored, and the same when the server has ended', async t => {
  const { id, run, dataDir, stop } = await given(t)
  const beside = await run(id, '--json')
  t.match(beside, { code: 0, stderr: '' })
  const told = jsonLines<{ position: number; header: Record<string, unknown>; data: unknown }>(beside.stdout)
  t.same(
    told.map(({ position, header, data }) => ({ ...header, position, data })),
    storedEvents(dataDir).filter(({ stream }) => stream === `task-${id}`),
  )
  await stop()
  t.equal((await run(id, '--json')).stdout, beside.stdout)
})

t.test('what is not there is told in one line', async t => {
  const { run, dataDir } = await given(t)
  t.same(await run('nobody'), {
    code: 1,
    stdout: '',
    stderr: `reprise: no task, environment session, webhook or cron job has the id nobody in ${dataDir}\n`,
  })
  const empty = t.testdir()
  t.same(await runReprise(['history', 'nobody'], { DATA_DIR: empty }), {
    code: 2,
    stdout: '',
    stderr: `reprise: no log here: ${empty} has no log.db. Set DATA_DIR to the data folder of a server, or start one: reprise serve\n`,
  })
  t.match(await run(), {
    code: 2,
    stdout: '',
    stderr: /^reprise: missing .+ 'id'; usage: reprise history .+\n$/,
  })
})

t.test(
  'an environment session is told one event a line, in words, beside a server and when it has ended',
  async t => {
    const { api, dataDir, stop } = await serveHere(t, { ENV_PATH: modules })
    const { create, add, step, reset, close, remove } = envCalls(api)
    const id = (
      await create({
        user_id: 'ann',
        env_class_path: counter,
        env_init_kwargs: { start: 3 },
        env_vars: { KEY: 'a secret value' },
      })
    ).body.session_id
    await add(id, 4)
    await step(id, 'fail', { why: 'not\n\u001b[31mtoday' })
    await reset(id, { seed: 7, options: { start: 1 } })
    await step(id, 'end')
    const run = (...args: string[]) => runReprise(['history', id, ...args], { DATA_DIR: dataDir })
    const beside = await run()
    t.match(beside, { code: 0, stderr: '' })
    await close(id)
    await remove(id)
    await stop()

    const { code, stdout, stderr } = await run()
    t.same({ code, stderr }, { code: 0, stderr: '' })
    t.ok(stdout.startsWith(beside.stdout), 'what was told is told again')
    const stored = storedEvents(dataDir).filter(({ stream }) => stream === `env-${id}`)
    const lines = stdout.trimEnd().split('\n')
    t.same(
      lines.map(line => line.trim().split(/ +/).slice(0, 4)),
      stored.map(({ position, revision, time, type }) => [String(position), String(revision), time, type]),
    )
    const readings = lines.map(line => line.replace(/^.*? Env\w+ +/, ''))
    t.match(readings, [
      /^ann: counter\.mjs#Counter {"start":3}, seed \d+$/,
      'step 1: add {"by":4} completed, reward 0.25: it is 7 now',
      /^step 2: fail {"why":.+} incomplete, reward 0: not \[31mtoday$/,
      'seed 7, options {"start":1}',
      'step 3: end {} completed, reward 0.5, done: the end',
      'closed',
      'by admin',
    ])
    t.notMatch(stdout, /secret value/)
    const told = jsonLines<{ position: number; header: Record<string, unknown>; data: unknown }>(
      (await run('--json')).stdout,
    )
    t.same(
      told.map(({ position, header, data }) => ({ ...header, position, data })),
      stored,
    )
  },
)

t.test('a step that cannot be done again is told when it is meant, too', async t => {
  const { api, dataDir } = await serveHere(t, { ENV_PATH: modules })
  const { made, add } = envCalls(api)
  const id = await made({ env_class_path: gone })
  await add(id, 1)
  const { stdout } = await runReprise(['history', id], { DATA_DIR: dataDir })
  t.match(stdout, /EnvStepIntended +step 1: add {"by":1}\n/)
})

t.test('a damaged event is named by its position, and never shown', async t => {
  const { id, dataDir, stop } = await given(t)
  await stop()
  const copy = path.join(t.testdir(), 'copy')
  cpSync(dataDir, copy, { recursive: true })
  const [, second] = storedEvents(copy).filter(({ stream }) => stream === `task-${id}`)
  const db = new Database(path.join(copy, 'log.db'))
  db.exec('DROP TRIGGER events_are_never_changed')
  db.prepare("UPDATE events SET payload = '{}' WHERE position = ?").run(second?.position)
  db.close()
  const { code, stdout, stderr } = await runReprise(['history', id], { DATA_DIR: copy })
  t.same({ code, stdout }, { code: 1, stdout: '' })
  t.equal(stderr, `reprise: the event at position ${second?.position} does not match its digest\n`)
})

t.test('colours where they are wished, and whoever reads may go away', async t => {
  const { id, dataDir } = await given(t)
  const run = (env: Record<string, string>, ...args: string[]) =>
    runReprise(['history', id, ...args], { DATA_DIR: dataDir, ...env })
  const painted = '\u001b[31mTaskFailed'
  t.match((await run({ FORCE_COLOR: '1' })).stdout, painted)
  t.notMatch((await run({})).stdout, '\u001b')
  t.notMatch((await run({ FORCE_COLOR: '1' }, '--no-color')).stdout, '\u001b')
  t.notMatch((await run({ FORCE_COLOR: '1' }, '--json')).stdout, '\u001b')
  t.match(await shell(`reprise history ${id} | head -n 1`, { DATA_DIR: dataDir }), {
    code: 0,
    stdout: /^ +\d+ +0 .+\n$/,
    stderr: '',
  })
})

t.test(
  'at a terminal a line is as long as the terminal is wide',
  hasTerminal ? {} : { skip: 'no terminal' },
  async t => {
    const server = await serveHere(t)
    const { id } = await createTask(server.api, { user_message_content: 'long '.repeat(100) })
    const { stdout } = await startAtTerminal(t, ['history', id], { DATA_DIR: server.dataDir }).ended
    t.match(stdout, '\u001b[2m', 'places are dim')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are control characters
    const lines = stdout.replace(/\u001b\[\d+m/g, '').split(/\r?\n/)
    t.match(lines[0], /TaskCreated +demo: long .+…$/)
  },
)
