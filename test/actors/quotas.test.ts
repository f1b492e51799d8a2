// The counts of quotas are what the log holds, whatever fails, ends or is asked again meanwhile.
import t, { type Test } from 'tap'
import type { Principal } from '../../src/contract/events/token-events.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { StorageFailure } from '../../src/contract/stored.ts'
import { failingStore, givenSystem } from '../support/system.ts'
import { randomOf, settle } from '../support/world.ts'

const userNamed = (userId: string): Principal => ({
  id: `tok_${userId}`,
  role: 'user',
  userId,
  expiresAt: undefined,
})
const [ann, bob] = [userNamed('ann'), userNamed('bob')]
const sleeps = [{ sleep_ms: 600_000 }]
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    error => error,
  )

t.test(
  'a create that the disk refused gives its place back; one that it kept after all takes it',
  async t => {
    for (const how of ['lost', 'kept'] as const) {
      const disk = failingStore()
      const system = await givenSystem({ store: disk.store, quotas: { tasks: 1 } })
      t.teardown(() => system.close())
      disk.failNext(how)
      t.type(await failure(system.play(sleeps, {}, { principal: ann })), StorageFailure, how)
      await system.world.advance(2000)
      t.equal(system.quotas.counts().used.tasks, how === 'lost' ? 0 : 1)
      const next = await failure(system.play(sleeps, {}, { principal: ann }))
      if (how === 'lost') t.equal(next, undefined)
      else t.match(next, { reason: 'OverQuota', data: { quota: 'tasks', limit: 1 } })
    }
  },
)

const play = async (t: Test, seed: number): Promise<void> => {
  const random = randomOf(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const disk = failingStore()
  const system = await givenSystem({ store: disk.store, quotas: { tasks: 4 } })
  t.teardown(() => system.close())
  const scripts = [sleeps, [{ message: 'done' }], [{ pause: 'why' }], [{ subagent: 'echo', input: 'x' }]]
  for (let n = 0; n < 40; n++) {
    const creates = Array.from({ length: Math.floor(random() * 8) }, () => {
      const principal = pick([ann, bob])
      return failure(system.play(pick(scripts), {}, { principal, key: `k${Math.floor(random() * 60)}` }))
    })
    if (random() < 0.3) disk.failNext(pick(['lost', 'kept']))
    const [victim] = system.queries.isCurrent() ? system.queries.unfinished() : []
    const cancel =
      victim !== undefined && random() < 0.6
        ? [failure(system.commands.cancel(victim.user_id === 'ann' ? ann : bob, victim.id, 'r'))]
        : []
    for (const error of await Promise.all([...creates, ...cancel])) {
      const isExpected = error === undefined || error instanceof Refusal || error instanceof StorageFailure
      t.ok(isExpected, String(error))
    }
    disk.failNext('lost', 0)
    await system.world.advance(2000)
    await settle()
    const rows = system.queries.unfinished()
    t.equal(
      system.quotas.counts().used.tasks,
      rows.length,
      `seed ${seed}, ${n}: the count is what the log holds`,
    )
    for (const user of ['ann', 'bob']) {
      t.ok(rows.filter(({ user_id }) => user_id === user).length <= 4, `seed ${seed}, ${n}: ${user}`)
    }
  }
}

t.test('random creates, retries, cancels and disks that fail leave the counts exact', async t => {
  for (const seed of process.env.SEED === undefined ? [1, 2, 3, 4, 5] : [Number(process.env.SEED)]) {
    await play(t, seed)
  }
})
