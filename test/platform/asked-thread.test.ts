// A thread that answers questions in order, and what becomes of its questions when it fails or ends.
import t from 'tap'
import { createAskedThread } from '../../src/platform/threads/asked-thread.ts'

const folders = t.testdir({ one: { file: 'x' }, two: { file: 'x'.repeat(100_000) } })
type Job = { folders: string[]; startedAt: number; enough: number }
const jobFor = (name: string): Job => ({
  folders: [`${folders}/${name}`],
  startedAt: 0,
  enough: Number.POSITIVE_INFINITY,
})
const given = () => {
  const thread = createAskedThread<unknown, number>('walk-thread.mjs', {
    name: 'the thread',
    keepsAlive: 'always',
  })
  t.teardown(() => thread.end())
  return thread
}

t.test('each question gets its own answer', async t => {
  const { ask } = given()
  const [one, two, again] = await Promise.all([ask(jobFor('one')), ask(jobFor('two')), ask(jobFor('one'))])
  t.equal(one, again)
  t.ok(two - one >= 90_000)
})

t.test('a question that fails, or that cannot be sent, leaves the others their answers', async t => {
  const { ask } = given()
  const answers = await Promise.allSettled([
    ask(jobFor('one')),
    ask('no job'),
    ask(() => 'a function cannot be sent'),
    ask(jobFor('two')),
  ])
  t.same(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  )
  t.not(answers[0], answers[3])
})

t.test('when the thread ends, its questions fail, and the next one starts another thread', async t => {
  const { ask, end, isStarted } = given()
  const lost = Promise.allSettled([ask(jobFor('one')), ask(jobFor('two'))])
  const ended = end()
  t.notOk(isStarted())
  const next = ask(jobFor('two'))
  for (const answer of await lost) t.match(answer, { reason: { message: 'the thread ended' } })
  await ended
  t.equal(await next, await ask(jobFor('two')))
})
