// All work of a user counts for the same user, wherever it waits for the event loop.
import t from 'tap'
import { createPast } from '../../src/bus/past.ts'
import { createLongAnswers } from '../../src/http/answer/long-answers.ts'
import { createAdmission } from '../../src/http/request/admission.ts'

const alice = { id: 'tok_1', role: 'user', userId: 'alice', expiresAt: undefined } as const
const operator = { id: 'tok_2', role: 'admin' } as never

t.test('requests and long answers of a user count together, and those of operators do not count', async t => {
  const names: string[] = []
  const loop = {
    enter(user: string) {
      names.push(user)
      return undefined
    },
  }
  const admission = createAdmission(loop)
  const answers = createLongAnswers(new AbortController().signal, loop, () => {})
  for (const caller of [alice, operator]) {
    await admission.enter(caller, Promise.resolve())
    await answers.ofCaller(caller, () => false).pause()
  }
  t.same(names, ['alice', 'alice'])
})

t.test('while one user waits for the event loop, other users can read past events', async t => {
  const never = new Promise<void>(() => {})
  const loop = { enter: (user: string) => (user === 'alice' ? never : undefined) }
  async function* nothing() {}
  const past = createPast({ head: () => 0, readAll: nothing, readSession: nothing }, loop)
  void past.after(0, 'alice')
  t.equal(await past.after(0, 'bob'), undefined, 'the log is empty, and bob learns it at once')
  t.equal(await past.after(0, undefined), undefined)
})
