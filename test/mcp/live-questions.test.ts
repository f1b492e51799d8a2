// Questions that a server sends while a call runs: they stop its time, and have an end.
import t from 'tap'
import { askUsable, liveAsk } from '../../src/mcp/asking-call.ts'
import { callMs, mostRounds } from '../../src/mcp/limits.ts'
import { type AskUser, createLiveQuestions } from '../../src/mcp/live-questions.ts'
import { settle, testWorld } from '../support/world.ts'
import { placeServer } from './support.ts'

const params = {
  message: 'What?',
  requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
}
const never = new AbortController().signal
const whenAborted = (signal: AbortSignal) =>
  new Promise<string>(resolve => {
    signal.addEventListener('abort', () => resolve((signal.reason as Error).message))
  })

t.test('the time of a call stands still while it asks, and goes on after the answer', async t => {
  const world = testWorld()
  const { during, elicit } = createLiveQuestions(placeServer('s', 'http://127.0.0.1'), world.timers)
  let answer = (_: string) => {}
  const ask = () =>
    new Promise<{ status: 'completed'; content: string }>(resolve => {
      answer = content => resolve({ status: 'completed', content })
    })
  let late = ''
  const call = during(ask, async signal => {
    late = await whenAborted(signal)
  })
  const result = elicit(params, never)
  await world.advance(10 * callMs)
  t.equal(late, '', 'nobody hurries the user')
  answer('{"a":"b"}')
  t.same(await result, { action: 'accept', content: { a: 'b' } })
  await world.advance(callMs)
  await call
  t.match(late, /did not answer in 600 s/)
})

t.test('a call whose server asks without end fails', async t => {
  const { during, elicit } = createLiveQuestions(placeServer('s', 'http://127.0.0.1'), testWorld().timers)
  let asked = 0
  const ask = async () => {
    asked++
    return { status: 'incomplete' as const, content: 'no' }
  }
  const why = await during(ask, async signal => {
    const end = whenAborted(signal)
    for (let n = 0; n <= mostRounds; n++) await elicit(params, never)
    return end
  })
  t.match(why, /"s" asks the user without end/)
  t.equal(asked, mostRounds + 1)
})

t.test('nobody is asked outside of a call, or for a call without a user', async t => {
  const { during, elicit } = createLiveQuestions(placeServer('s', 'http://127.0.0.1'), testWorld().timers)
  t.same(await elicit(params, never), { action: 'cancel' })
  t.same(await during(undefined, () => elicit(params, never)), { action: 'cancel' })
  await t.rejects(elicit({ ...params, message: 'x'.repeat(1 << 20) }, never), {
    code: -32602,
    message: /asks with a message of more than 8 KiB/,
  })
  await settle()
})

t.test('a question that waits when its call ends leaves no timer of the call', async t => {
  const world = testWorld()
  const running = new Set<() => void>()
  const after = (ms: number, job: () => void) => {
    const stop = world.timers.after(ms, job)
    running.add(stop)
    return () => {
      running.delete(stop)
      stop()
    }
  }
  const { during, elicit } = createLiveQuestions(placeServer('s', 'http://127.0.0.1'), { after })
  let end = () => {}
  const work = new Promise<void>(resolve => {
    end = resolve
  })
  const ask: AskUser = async (_, withdrawn) => {
    throw new Error(await whenAborted(withdrawn))
  }
  const call = during(ask, () => work)
  const result = elicit(params, never)
  await settle()
  end()
  await call
  t.same(await result, { action: 'cancel' })
  t.equal(running.size, 0)
})

t.test('a server that asks with a form that cannot be used hears so', async t => {
  const server = placeServer('s', 'http://127.0.0.1')
  const { during, elicit } = createLiveQuestions(server, testWorld().timers)
  const answered = async () => [{ status: 'completed' as const, content: '{}' }]
  const ask = liveAsk(askUsable(server, answered, async () => ['the pattern is none']))
  await during(ask, () =>
    t.rejects(elicit(params, never), {
      code: -32602,
      message: /asks with a form that cannot be used: the pattern is none/,
    }),
  )
})
