// reprise replay, as a process: beside a server that works, and where something is not as it was.
import { cpSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { createTask, play, untilStatus } from '../server/wire.ts'
import { runReprise, serveHere } from '../support/server.ts'
import { givenFolder, spoilt } from './folder.ts'
import { hasTerminal, jsonLines, startAtTerminal } from './support.ts'

type Verdict = { matches: boolean; problems: number; events: number; compared_at: number | null }
const replay = (dataDir: string, ...args: string[]) => runReprise(['replay', ...args], { DATA_DIR: dataDir })
const verdictOf = ({ stdout }: { stdout: string }) => jsonLines<Verdict>(stdout)[0] as Verdict

t.test('what nobody has touched is equal', async t => {
  const { dataDir, id, frames } = await givenFolder(t)
  const [all, json, one, oneJson] = await Promise.all([
    replay(dataDir, '--all'),
    replay(dataDir, '--all', '--json'),
    replay(dataDir, id),
    replay(dataDir, id, '--json'),
  ])
  t.match(all, { code: 0, stderr: '' }, 'no bar where no terminal is')
  t.match(all.stdout, /^\d+ events of \d+ streams: [\s\S]+\nreplay equal\n$/)
  const verdict = verdictOf(json)
  t.match(verdict, { matches: true, problems: 0, tasks: 4, damaged: [], mismatches: [] })
  t.equal(verdict.compared_at, verdict.events)
  t.match(one, { code: 0, stderr: '' })
  t.match(one.stdout, new RegExp(`^\\d+ events, ${frames} frames, state .+\nthe read models say the same\n$`))
  t.match(jsonLines(oneJson.stdout), [{ task_id: id, frames, matches: true, mismatches: [] }])
})

t.test('what is not as it was is told on stdout, in words too: exit code 1', async t => {
  const { dataDir, id } = await givenFolder(t)
  const copies = t.testdir()
  const sql = `UPDATE tasks SET status = 'failed' WHERE id = '${id}'`
  const other = spoilt(dataDir, path.join(copies, 'other'), 'read.db', sql)
  const line = `tasks ${id}: status is "failed", replayed it is "completed"\n`
  const [all, one] = await Promise.all([replay(other, '--all'), replay(other, id)])
  t.match(all, {
    code: 1,
    stdout: line,
    stderr: 'reprise: 1 problem: the log and the read models differ, or are damaged\n',
  })
  t.match(one, { code: 1, stdout: line, stderr: 'reprise: 1 mismatch\n' })

  const damaged = spoilt(dataDir, path.join(copies, 'damaged'), 'log.db', "UPDATE events SET payload = '{}'")
  const [json, text, task] = await Promise.all([
    replay(damaged, '--all', '--json'),
    replay(damaged, '--all'),
    replay(damaged, id),
  ])
  t.match(json.code, 1)
  t.match(verdictOf(json), { matches: false, compared_at: null, mismatches: [] })
  t.match(text.stdout, /^position \d+: the event at position \d+ does not match its digest$/m)
  t.match(text.stdout, 'no read models compared')
  t.match(task, {
    code: 1,
    stdout: '',
    stderr: /^reprise: the event at position \d+ does not match its digest\n$/,
  })

  const models = spoilt(dataDir, path.join(copies, 'models'), 'read.db', 'PRAGMA user_version = 99')
  const anew = 'reprise: the read models are of another version: reprise rebuild builds them again\n'
  for (const what of ['--all', id]) t.match(await replay(models, what), { code: 1, stderr: anew })

  const without = path.join(copies, 'without')
  cpSync(dataDir, without, { recursive: true, filter: file => !path.basename(file).startsWith('read.db') })
  t.match(await replay(without, '--all'), { code: 0, stdout: /no read models there\nreplay equal\n$/ })
  t.match(await replay(without, id), { code: 0, stdout: /there is nothing to compare\n$/ })
})

t.test('the state is the one that the server folds', async t => {
  const { api, dataDir } = await serveHere(t)
  const { id } = await createTask(api, { user_message_content: '2+3*4' })
  const theirs = (await (await api('POST', `/tasks/${id}/replay`)).json()) as object
  t.match(jsonLines((await replay(dataDir, id, '--json')).stdout), [theirs])
})

t.test('tasks that move meanwhile are compared where the read models are', async t => {
  const { api, dataDir } = await serveHere(t)
  const tasks = await Promise.all(
    Array.from({ length: 8 }, () => play(api, [{ message: 'word '.repeat(4000), delta_ms: 10 }])),
  )
  let [events, moved] = [0, 0]
  // On a busy machine, the read models may stay where they are for the time of a round.
  for (let round = 0; round < 10 && moved < 3; round++) {
    const [all, one] = await Promise.all([
      replay(dataDir, '--all', '--json'),
      replay(dataDir, tasks[0]?.id ?? ''),
    ])
    t.match(verdictOf(all), { matches: true, problems: 0 })
    t.match({ all: all.code, one: one.code }, { all: 0, one: 0 })
    if (verdictOf(all).events > events) moved++
    events = verdictOf(all).events
  }
  t.equal(moved, 3, 'and they did move')
  for (const { id } of tasks) await api('POST', `/tasks/${id}/cancel`)
})

t.test('what is asked must be one thing, and there', async t => {
  const { dataDir } = await givenFolder(t)
  const both = 'reprise: name one task, or all of them: reprise replay <task>, or reprise replay --all\n'
  const [none, two, nobody, nowhere] = await Promise.all([
    replay(dataDir),
    replay(dataDir, 'x', '--all'),
    replay(dataDir, 'x'),
    replay(t.testdir(), '--all'),
  ])
  t.same(none, { code: 2, stdout: '', stderr: both })
  t.same(two, { code: 2, stdout: '', stderr: both })
  t.same(nobody, { code: 1, stdout: '', stderr: `reprise: no task has the id x in ${dataDir}\n` })
  t.match(nowhere, { code: 2, stdout: '', stderr: /no log here/ })
})

const terminal = hasTerminal ? {} : { skip: 'no command plays a terminal here' }

t.test('at a terminal it shows how far it is, until it knows', terminal, async t => {
  const { api, dataDir, stop } = await serveHere(t)
  const said = Array.from({ length: 600 }, () => ({ message: 'word' }))
  const { id } = await play(api, said)
  await untilStatus(api, id, 'completed')
  await stop()
  const { code, stdout } = await startAtTerminal(t, ['replay', '--all'], { DATA_DIR: dataDir }).ended
  t.equal(code, 0)
  t.match(stdout, /reading the log [█░]{24} \d+% of \d+ events/)
  t.match(stdout, `\r\u001b[K${verdictOf(await replay(dataDir, '--all', '--json')).events} events of`)
})
