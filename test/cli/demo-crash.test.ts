// reprise demo crash, as a process that starts and kills others; and how it would tell of a broken promise.
import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { type Seen, verdictOf } from '../../src/cli/demo/verdict.ts'
import type { Frame } from '../../src/history/frames.ts'
import { factsOf } from '../server/stored-log.ts'
import { runReprise } from '../support/server.ts'
import { hasTerminal, jsonLines, start, startAtTerminal } from './support.ts'

/** Where temporary files go, watched. */
const given = (t: { testdir(): string }) => {
  const TMPDIR = path.join(t.testdir(), 'tmp')
  mkdirSync(TMPDIR)
  return { env: { TMPDIR }, left: () => readdirSync(TMPDIR).filter(name => name.startsWith('reprise')) }
}

const promises = ['no gap', 'no repeat', 'reached its end', 'same stream', 'tool ran once', 'replay equal']

t.test('the story of a crash, and every promise kept', async t => {
  const { env, left } = given(t)
  const { code, stdout, stderr } = await runReprise(['demo', 'crash'], env)
  t.same({ code, stderr, left: left() }, { code: 0, stderr: '', left: [] })
  const [story = '', verdict = ''] = stdout.split('\n\n')
  t.match(
    story,
    /^ {7}server {5}http:\/\/127\.0\.0\.1:\d+, its data in .+\n {4}0 {2}created\n {4}1 {2}working\n/,
  )
  const [, seen] =
    /\n {7}restart {4}after [\d.]+ s; the same stream, Last-Event-ID: (\d+)\n/.exec(story) ?? []
  t.match(story, /\n {7}kill -9 {4}process \d+, in the middle of a sentence\n/)
  const numbers = story.match(/^ *\d+(?= )/gm)?.map(Number) ?? []
  t.same(
    numbers,
    [...numbers].sort((a, b) => a - b),
  )
  t.equal(
    numbers.find(number => number > Number(seen)),
    Number(seen) + 1,
    'no frame lies between',
  )
  t.match(story, /\n +\d+ {2}completed$/)
  t.same(
    verdict
      .trimEnd()
      .split('\n')
      .map(line => line.slice(0, 27).trimEnd()),
    promises.map(promise => `kept   ${promise}`),
  )
})

t.test('--json is the verdict alone; --keep leaves the folder, to look into it', async t => {
  const { env, left } = given(t)
  const { code, stdout, stderr } = await runReprise(['demo', 'crash', '--json', '--keep'], env)
  t.same({ code, stderr }, { code: 0, stderr: '' })
  type Line = { task_id: string; data_dir: string; frames: number; killed_after: number; seconds: number }
  const [line] = jsonLines<Line & { kept: boolean; promises: { promise: string; kept: boolean }[] }>(stdout)
  t.equal(line?.kept, true)
  t.same(
    line?.promises.map(({ promise, kept }) => kept && promise),
    promises,
  )
  t.ok(line && line.killed_after > 0 && line.killed_after < line.frames - 1)
  const { data_dir = '', task_id = '' } = line ?? {}
  t.equal(left().length, 1)
  const facts = factsOf(data_dir, task_id)
  t.ok(facts.includes('AgentStepAbandoned'), 'a step was cut off')
  t.equal(facts.filter(type => type === 'EffectIntended').length, 1)
  t.equal(facts.at(-1), 'TaskCompleted')
  t.match(await runReprise(['replay', task_id], { DATA_DIR: data_dir }), { code: 0 })
})

for (const [signal, expected] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  t.test(`${signal} ends its servers and removes its folder: exit code ${expected}`, async t => {
    const { env, left } = given(t)
    const demo = start(t, ['demo', 'crash'], env)
    await demo.until(/message/)
    const [, url = ''] = /(http:\S+),/.exec(demo.said.stdout) ?? []
    t.ok((await fetch(`${url}/healthz`)).ok)
    demo.signal(signal)
    t.equal((await demo.ended).code, expected)
    t.same(left(), [])
    await t.rejects(fetch(`${url}/healthz`))
  })

t.test('at a terminal it is the same, with colours', hasTerminal ? {} : { skip: 'no terminal' }, async t => {
  const { code, stdout } = await startAtTerminal(t, ['demo', 'crash'], given(t).env).ended
  t.equal(code, 0)
  t.match(stdout, '\u001b[31mkill -9')
  t.match(stdout, /kept {3}replay equal/)
})

t.test('without room for its folder it says so in one line: exit code 2', async t => {
  const { env, left } = given(t)
  const { code, stdout, stderr } = await runReprise(['demo', 'crash'], {
    ...env,
    TMPDIR: `${env.TMPDIR}/none`,
  })
  t.same({ code, stdout, left: left() }, { code: 2, stdout: '', left: [] })
  t.match(stderr, /^reprise: .+\n$/)
})

const frame = (sequence_number: number, type: Frame['type'] = 'task.text.delta'): Frame => ({
  type,
  sequence_number,
  task_id: 'task_1',
})
const good: Seen = {
  frames: [frame(0), frame(1), frame(2, 'task.completed')],
  again: [frame(0), frame(1), frame(2, 'task.completed')],
  killedAfter: 1,
  runs: 1,
  events: 3,
  problems: [],
}

t.test('each promise can be broken, and then says how', async t => {
  t.ok(verdictOf(good).every(({ kept }) => kept))
  const broken: [Partial<Seen>, string, RegExp][] = [
    [{ frames: [frame(0), frame(2, 'task.completed')] }, 'no gap', /^missing: 1$/],
    [{ frames: [] }, 'no gap', /^0 frames/],
    [{ frames: [frame(0), frame(1), frame(1), frame(2, 'task.completed')] }, 'no repeat', /^again: 1$/],
    [{ frames: [frame(1), frame(0), frame(2, 'task.completed')] }, 'no repeat', /^again: 0$/],
    [{ frames: [frame(0), frame(1)] }, 'reached its end', /task\.text\.delta is frame 1/],
    [{ killedAfter: undefined }, 'reached its end', /never killed/],
    [{ again: [frame(0), frame(1, 'task.failed'), frame(2)] }, 'same stream', /^frame 1 differs/],
    [{ again: [...good.again, frame(3)] }, 'same stream', /^frame 3 differs/],
    [{ runs: 2 }, 'tool ran once', /^the tool's file has 2 lines$/],
    [{ runs: 0 }, 'tool ran once', /^the tool's file has 0 lines$/],
    [{ problems: ['tasks x: the row is missing'] }, 'replay equal', /^tasks x: the row is missing$/],
  ]
  for (const [change, promise, says] of broken) {
    const finding = verdictOf({ ...good, ...change }).find(each => each.promise === promise)
    t.equal(finding?.kept, false, promise)
    t.match(finding?.found, says)
  }
})
