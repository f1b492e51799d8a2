// Turns: how many jobs run at a time, and who comes next.
import t from 'tap'
import { createTurns } from '../../src/tools/turns.ts'

const never = new AbortController().signal
const settle = () => new Promise(resolve => setImmediate(resolve))

/** A job that ends when it is told to. */
const job = (name: string, began: string[]) => {
  let end = () => {}
  const run = () => {
    began.push(name)
    return new Promise<void>(resolve => {
      end = resolve
    })
  }
  return { run, end: () => end() }
}

t.test('as many run as may, the others in the order in which they came', async t => {
  const began: string[] = []
  const turn = createTurns(2)
  const jobs = ['a', 'b', 'c', 'd'].map(name => job(name, began))
  const all = jobs.map(({ run }) => turn(never, run))
  await settle()
  t.same(began, ['a', 'b'])
  jobs[1]?.end()
  await settle()
  t.same(began, ['a', 'b', 'c'])
  for (const { end } of jobs) end()
  await settle()
  jobs[3]?.end()
  await Promise.all(all)
  t.same(began, ['a', 'b', 'c', 'd'])
})

t.test('who is stopped while it waits never runs, and holds nobody up', async t => {
  const began: string[] = []
  const turn = createTurns(1)
  const [first, second, third] = ['a', 'b', 'c'].map(name => job(name, began))
  const stop = new AbortController()
  const one = turn(never, first?.run ?? fail)
  const two = turn(stop.signal, second?.run ?? fail)
  const three = turn(never, third?.run ?? fail)
  stop.abort()
  await t.rejects(two)
  await settle()
  first?.end()
  await one
  await settle()
  t.same(began, ['a', 'c'])
  third?.end()
  await three
})

t.test('a job that fails gives its place back', async t => {
  const turn = createTurns(1)
  await t.rejects(
    turn(never, () => Promise.reject(new Error('no'))),
    /no/,
  )
  t.equal(await turn(never, async () => 'next'), 'next')
})

const fail = () => Promise.reject(new Error('there is no such job'))
