// Places: how many jobs run at a time, whose is next, and that nobody waits for more than one job of anybody else.

import t from 'tap'
import { createPlaces, type Places } from '../../src/fairness/places.ts'
import fc from '../support/fast-check.ts'

const settle = () => new Promise(resolve => setImmediate(resolve))

/** Jobs that end when they are told to, by name; `began` is the order in which they ran. */
const jobsOf = ({ hold }: Places) => {
  const began: string[] = []
  const ends = new Map<string, () => void>()
  return {
    began,
    ends,
    come: (user: string, name: string, signal?: AbortSignal) =>
      hold(
        user,
        () => {
          began.push(name)
          return new Promise<void>(resolve => {
            ends.set(name, () => {
              ends.delete(name)
              resolve()
            })
          })
        },
        signal,
      ),
    end: async (name: string) => {
      ends.get(name)?.()
      await settle()
    },
  }
}

t.test('jobs of one user run in the order in which they came, as many as may', async t => {
  const { began, come, end } = jobsOf(createPlaces({ places: 4, perUser: 2 }))
  const all = ['a', 'b', 'c', 'd'].map(name => come('ann', name))
  await settle()
  t.same(began, ['a', 'b'], 'two places stay free for others')
  await end('b')
  t.same(began, ['a', 'b', 'c'])
  for (const name of ['a', 'c', 'd']) await end(name)
  await Promise.all(all)
  t.same(began, ['a', 'b', 'c', 'd'])
})

t.test(
  'a user with a thousand jobs keeps no place from another, and costs a third one job at most',
  async t => {
    const { began, come, end } = jobsOf(createPlaces({ places: 3, perUser: 2 }))
    for (let n = 0; n < 1000; n++) void come('ann', `ann ${n}`)
    await settle()
    void come('bob', 'bob')
    await settle()
    t.same(began, ['ann 0', 'ann 1', 'bob'], 'the job of another begins at once')
    void come('cas', 'cas')
    await end('ann 0')
    t.equal(began.at(-1), 'cas', 'and the next one as soon as one of them ends')
  },
)

t.test('who leaves while it waits never runs, and holds nobody up', async t => {
  const { began, come, end } = jobsOf(createPlaces({ places: 1, perUser: 1 }))
  const stop = new AbortController()
  const one = come('ann', 'a')
  const two = come('ann', 'b', stop.signal)
  const three = come('ann', 'c')
  await settle()
  stop.abort(new Error('it left'))
  await t.rejects(two, /it left/)
  await t.rejects(come('ann', 'd', stop.signal), /it left/, 'nor who has left before')
  await end('a')
  await one
  t.same(began, ['a', 'c'])
  await end('c')
  await three
})

t.test('a job that fails gives its place back', async t => {
  const { hold: turn } = createPlaces({ places: 1, perUser: 1 })
  await t.rejects(
    turn('ann', () => Promise.reject(new Error('no'))),
    /no/,
  )
  await t.rejects(
    turn('ann', () => {
      throw new Error('not even a promise')
    }),
    /not even/,
  )
  t.equal(await turn('ann', async () => 'next'), 'next')
})

t.test(
  'whatever comes, ends and leaves: the limits hold, no place is idle, and users take turns',
  async () => {
    const act = fc.oneof(
      { weight: 4, arbitrary: fc.record({ come: fc.integer({ min: 0, max: 3 }) }) },
      { weight: 3, arbitrary: fc.record({ end: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ leave: fc.nat() }) },
    )
    const given = fc.tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(act, { maxLength: 60 }),
    )
    await fc.assert(
      fc.asyncProperty(given, async ([places, share, acts]) => {
        const perUser = Math.min(places, share)
        const turn = jobsOf(createPlaces({ places, perUser }))
        type Job = {
          user: number
          name: string
          stop: AbortController
          state: 'waiting' | 'running' | 'over'
        }
        const jobs: Job[] = []
        const of = (state: Job['state'], user?: number) =>
          jobs.filter(job => job.state === state && (user === undefined || job.user === user))
        const isReady = (user: number) =>
          of('waiting', user).length > 0 && of('running', user).length < perUser
        /** What others began since a user could have been next. */
        const passedBy = new Map<number, number[]>()
        let seen = 0

        const look = () => {
          for (const name of turn.began.slice(seen)) {
            const job = jobs.find(one => one.name === name)
            if (job === undefined) throw new Error(`nobody knows ${name}`)
            if (of('waiting', job.user)[0] !== job) throw new Error(`${name} was not the first of its user`)
            job.state = 'running'
            passedBy.delete(job.user)
            for (const [user, others] of passedBy) {
              if (others.includes(job.user))
                throw new Error(`user ${job.user} was served twice before ${user}`)
              others.push(job.user)
            }
          }
          seen = turn.began.length
          for (let user = 0; user < 4; user++) {
            if (of('running', user).length > perUser) throw new Error('one user holds too many places')
            if (!isReady(user)) passedBy.delete(user)
            else if (!passedBy.has(user)) passedBy.set(user, [])
            if (isReady(user) && of('running').length < places) throw new Error('a place is idle')
          }
          if (of('running').length > places) throw new Error('too many run')
        }

        for (const one of acts) {
          if ('come' in one) {
            const job: Job = {
              user: one.come,
              name: `${jobs.length}`,
              stop: new AbortController(),
              state: 'waiting',
            }
            jobs.push(job)
            turn.come(`${job.user}`, job.name, job.stop.signal).catch(() => {})
          } else if ('end' in one) {
            const running = of('running')
            const job = running[one.end % running.length]
            if (job !== undefined) job.state = 'over'
            if (job !== undefined) turn.ends.get(job.name)?.()
          } else {
            const waiting = of('waiting')
            const job = waiting[one.leave % waiting.length]
            if (job !== undefined) job.state = 'over'
            job?.stop.abort()
          }
          await settle()
          look()
        }
        // In the end everybody was served.
        while (of('running').length > 0) {
          for (const job of of('running')) {
            job.state = 'over'
            turn.ends.get(job.name)?.()
          }
          await settle()
          look()
        }
        if (of('waiting').length > 0) throw new Error('somebody waits for ever')
      }),
      { numRuns: 300 },
    )
  },
)
