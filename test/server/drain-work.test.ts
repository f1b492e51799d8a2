// SIGTERM, as the work sees it.
import t from 'tap'
import { serveHere, spawnServer } from '../support/server.ts'
import { factsOf } from './stored-log.ts'
import { createTask, framesOf, play, saidBy, sleep, until, untilStatus } from './wire.ts'

t.jobs = 2

t.test('a running step may finish, the next one waits for the next start', async t => {
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir)
  const session_id = 'line'
  const script = [{ message: 'first', delta_ms: 1 }, { sleep_ms: 700 }, { message: 'last' }]
  const { id } = await play(server.api, script, { session_id })
  const behind = await createTask(server.api, {
    user_message_content: 'behind',
    client_id: 'echo',
    session_id,
    background: true,
  })
  await until('the second step runs', () => factsOf(dataDir, id).filter(is('AgentStepStarted')).length === 2)
  t.same(await server.end('SIGTERM'), [0, null])
  const facts = factsOf(dataDir, id)
  t.equal(facts.filter(is('AgentStepCompleted')).length, 2, 'the step that ran is complete')
  t.equal(facts.at(-1), 'AgentStepCompleted', 'and nothing began after it')

  const next = await spawnServer(t, dataDir)
  const task = await untilStatus(next.api, id, 'completed')
  t.same(saidBy(task), ['first', 'last'])
  t.notOk(
    task.output.some(({ status }) => status === 'incomplete'),
    'nothing ran twice',
  )
  t.same(saidBy(await untilStatus(next.api, behind.id, 'completed')), ['behind'])
})

t.test('a step that takes longer than DRAIN_SECONDS is left, and runs again at the next start', async t => {
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir, { DRAIN_SECONDS: '0' })
  const message = 'one two three four five six seven eight'
  const { id } = await play(server.api, [{ message, delta_ms: 60 }])
  await until('it speaks', () => factsOf(dataDir, id).includes('ItemDelta'))
  const seen = await framesOf(server.api, id)
  t.same(await server.end('SIGTERM'), [0, null])

  const next = await spawnServer(t, dataDir)
  const task = await untilStatus(next.api, id, 'completed')
  t.same(
    task.output.map(({ status }) => status),
    ['incomplete', 'completed'],
  )
  t.same(saidBy(task), [message])
  const frames = await framesOf(next.api, id)
  t.same(frames.slice(0, seen.length), seen, 'what was seen before is still how it began')
  t.same(
    frames.map(frame => frame.sequence_number),
    frames.map((_, n) => n),
  )
})

t.test('idle, it ends at once', async t => {
  const server = await spawnServer(t, t.testdir(), { DRAIN_SECONDS: '3600' })
  await createTask(server.api, { user_message_content: 'hello', client_id: 'echo' })
  await sleep(50)
  t.same(await server.end('SIGTERM'), [0, null], 'connections that are kept alive hold nothing up')
  t.equal(server.stderr(), 'draining 0 running tasks\n')
})

const is = (type: string) => (fact: string) => fact === type

t.test(
  'a caller that waits for a task when the server stops hears that it stops, not of a defect',
  async t => {
    const server = await serveHere(t, { DRAIN_SECONDS: '0' })
    const waiting = createTask(server.api, {
      user_message_content: 'wait',
      agent_config: { agent_id: 'script', script: [{ sleep_ms: 60_000 }] },
    }).catch(() => undefined)
    await until('the task works', () => server.running() > 0)
    await server.stop(0)
    await waiting
    t.same(
      server.lines.filter(({ level }) => level === 'error'),
      [],
    )
  },
)
