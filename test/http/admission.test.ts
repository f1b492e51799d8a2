// A user with many requests at once has some of them worked on, and the others wait; nobody else does.
import t from 'tap'
import { wholeLoop } from '../../src/fairness/loop-shares.ts'
import { createAdmission } from '../../src/http/request/admission.ts'
import { pause } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'

const principal = (userId?: string) => ({
  id: `token-${userId}`,
  role: 'user' as const,
  userId,
  expiresAt: undefined,
})
const never = new Promise(() => {})
// What waits here keeps no process alive.
const alive = setInterval(() => {}, 1000)
t.teardown(() => clearInterval(alive))

t.test('so many requests of one user begin, and the next one when one of them is over', async t => {
  const { enter } = createAdmission(wholeLoop, { perUser: 2, workMs: 60_000 })
  const begun: number[] = []
  const ends: (() => void)[] = []
  for (let n = 0; n < 4; n++) {
    const over = new Promise<void>(resolve => ends.push(resolve))
    void enter(principal('alice'), over)?.then(() => begun.push(n))
  }
  await pause(10)
  t.same(begun, [0, 1])
  await enter(principal('bob'), never) // another user need not wait
  t.equal(enter(principal(), never), undefined, 'a token for all users is not bound')
  ends[1]?.()
  await pause(10)
  t.same(begun, [0, 1, 2])
})

t.test('a request that waits for something leaves its place', async t => {
  const { enter, run } = createAdmission(wholeLoop, { perUser: 1, workMs: 5 })
  await enter(principal('alice'), never)
  await enter(principal('alice'), never)
  t.equal(await run(principal('alice'), async () => 'done'), 'done')
  await t.rejects(
    run(principal('alice'), () => Promise.reject(new Error('no'))),
    { message: 'no' },
  )
  t.equal(await run(principal('alice'), async () => 'again'), 'again')
})

t.test('two hundred requests of one user that wait for their tasks are all answered', async t => {
  const { api, url } = await serveHere(t)
  const made = (await (await api('POST', '/auth/tokens', { role: 'user', user_id: 'alice' })).json()) as {
    token: string
  }
  const alice = apiOf(url, made.token)
  const body = {
    user_message_content: 'go',
    stream: false,
    agent_config: { agent_id: 'script', script: [{ sleep_ms: 300 }, { message: 'done' }] },
  }
  const answers = await Promise.all(Array.from({ length: 200 }, () => alice('POST', '/tasks', body)))
  t.ok(answers.every(({ status }) => status === 200))
})
