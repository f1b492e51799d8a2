// Jobs whose makers lose their tokens, get them again, or are replaced.
import t from 'tap'
import type { Principal } from '../../src/contract/events/token-events.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { createPausedJobs } from '../../src/cron/paused-jobs.ts'
import { emptyCronJob } from '../../src/history/cron-job.ts'
import { admin, givenSystem, quiet, refused, restarted, type TestSystem } from '../support/system.ts'
import { settle } from '../support/world.ts'
import { asked, cronEventsOf, dataOf, givenJob, noRetry, settableWorld, triggeredAt } from './jobs.ts'

const second = 1000
const hour = 3600 * second
const ann: Principal = { id: 'of-ann', role: 'user', userId: 'ann', expiresAt: undefined }

const about = {
  owner: 'ann',
  session_id: '',
  correlation_id: 'test',
  principal: 'admin',
  causation_id: 'test',
}
const givenToken = async ({ log }: TestSystem, id: string, user_id?: string, expires_at?: number) => {
  const data = {
    ...{ token_id: id, hash: id, role: 'user' },
    ...(user_id === undefined ? {} : { user_id }),
    ...(expires_at === undefined ? {} : { expires_at }),
  }
  const events = [{ type: 'TokenCreated', schema_version: 1, data }]
  await log.append([{ stream: `principal-${id}`, expectedRevision: -1, ...about, events }])
}
const revoke = async ({ log }: TestSystem, id: string) => {
  const events = [{ type: 'TokenRevoked', schema_version: 1, data: { token_id: id } }]
  await log.append([{ stream: `principal-${id}`, expectedRevision: 0, ...about, events }])
}
const stateOf = ({ cron }: TestSystem, id: string) => cron.queries.visible(admin, id)

t.test(
  'a job that paused because the clock was ahead of the token goes on when the clock is put right',
  async t => {
    const world = settableWorld('2026-06-01T12:00:00Z')
    const system = await givenSystem({ world })
    await givenToken(system, ann.id, 'ann', world.clock.now() + hour)
    const id = await givenJob(system, { every_seconds: 10 }, ann)
    await world.advance(5 * second)
    world.set('2026-06-02T12:00:00Z')
    await world.advance(70 * second)
    await quiet(system)
    t.match(stateOf(system, id), { state: 'paused', paused_reason: 'no_valid_token' })
    world.set('2026-06-01T12:01:00Z')
    await world.advance(70 * second)
    await quiet(system)
    t.equal(stateOf(system, id).state, 'active')
    const before = (await triggeredAt(system)).length
    await world.advance(21 * second)
    await quiet(system)
    t.equal((await triggeredAt(system)).length, before + 2, 'not only a day later')
    await system.close()
  },
)

t.test('a job that was made while the token of its maker expired has no run', async t => {
  const world = settableWorld('2026-06-01T12:00:00Z')
  const system = await givenSystem({ world })
  await givenToken(system, ann.id, 'ann', world.clock.now() + 5 * second)
  await world.advance(6 * second)
  const id = await givenJob(system, { every_seconds: 10 }, ann) // its request was let in before
  await world.advance(30 * second)
  await quiet(system)
  t.strictSame(await triggeredAt(system), [])
  t.match(stateOf(system, id), { state: 'paused', paused_reason: 'no_valid_token' })
  await system.close()
})

t.test('somebody else who enables the job of a maker without a token becomes its maker', async t => {
  const world = settableWorld('2026-06-01T12:00:00Z')
  const system = await givenSystem({ world, workspaceRoot: '/work-of' })
  await givenToken(system, ann.id, 'ann')
  const id = await givenJob(system, { every_seconds: 10 }, ann)
  await world.advance(11 * second)
  await revoke(system, ann.id)
  await quiet(system)
  t.equal(stateOf(system, id).state, 'paused')
  await system.cron.commands.change(asked, id, { body: { enabled: true }, found: [] })
  await givenToken(system, 'of-bob', 'bob')
  await quiet(system)
  t.match(stateOf(system, id), { state: 'active', maker_token: 'admin', maker_user: null })
  await world.advance(11 * second)
  await quiet(system)
  const made = (await system.stored()).filter(({ header }) => header.type === 'TaskCreated')
  const [first, second_] = made.map(({ data }) => data as { user_id: string; workdir: string })
  t.equal(second_?.user_id, 'ann')
  const folder = (at: string | undefined) => String(at).split('/').slice(0, -1).join('/')
  t.equal(folder(second_?.workdir), folder(first?.workdir), 'the task still works in the folder of its user')
  t.equal(dataOf(await cronEventsOf(system), 'CronJobPaused').length, 1)
  await system.close()
})

for (const changed of [{ max_runs: 1 }, { ends_at: '2026-06-01T12:00:15Z' }]) {
  t.test(
    `a job that got ${JSON.stringify(changed)} while it was paused does not run beyond that`,
    async t => {
      const world = settableWorld('2026-06-01T12:00:00Z')
      const system = await givenSystem({ world })
      await givenToken(system, ann.id, 'ann')
      const id = await givenJob(system, { every_seconds: 10 }, ann)
      await world.advance(11 * second)
      await revoke(system, ann.id)
      await quiet(system)
      await system.cron.commands.change(asked, id, { body: changed, found: [] })
      await world.advance(20 * second)
      await givenToken(system, 'another', 'ann')
      await quiet(system)
      await world.advance(10 * second)
      await quiet(system)
      t.equal((await triggeredAt(system)).length, 1)
      t.equal(stateOf(system, id).state, 'ended')
      await system.close()
    },
  )
}

t.test('a job that its user has paused is not triggered either when the user has no valid token', async t => {
  const system = await givenSystem({ world: settableWorld('2026-06-01T12:00:00Z') })
  await givenToken(system, ann.id, 'ann')
  const id = await givenJob(system, { every_seconds: 10 }, ann)
  await system.cron.commands.pause({ principal: ann, requestId: 'r' }, id)
  await revoke(system, ann.id)
  await quiet(system)
  await t.rejects(system.cron.commands.trigger(asked, id, noRetry), refused('Conflict'))
  t.strictSame(await triggeredAt(system), [])
  await system.cron.commands.resume(asked, id)
  await system.cron.commands.trigger(asked, id, noRetry)
  t.equal((await triggeredAt(system)).length, 1)
  await system.close()
})

t.test('after a restart, what a revoked token without a user set up for a user still goes on', async t => {
  let system = await givenSystem({ world: settableWorld('2026-06-01T12:00:00Z') })
  await givenToken(system, 'ops')
  await givenToken(system, ann.id, 'ann')
  await revoke(system, 'ops')
  await revoke(system, ann.id)
  system = await restarted(system)
  const mayAct = (maker: string) => system.webhooks.mayAct({ maker, userId: 'ann' })
  t.same([mayAct('ops'), mayAct(ann.id)], [true, false])
  await system.close()
})

t.test('a job whose maker gets a token while it is being paused goes on', async t => {
  let [mayAct, is_held] = [false, 0 as 0 | 1]
  let goOn = () => {}
  const held = new Promise<void>(resolve => {
    goOn = resolve
  })
  const told: string[] = []
  const check = createPausedJobs({
    makers: { mayAct: () => mayAct },
    jobs: { byMaker: () => [{ id: 'one', maker_token: 'of-ann', maker_user: 'ann', is_held }] },
    runs: { queued: async () => {} },
    runtime: {
      async ask(_, { type }) {
        if (type === 'PauseJob') await held
        is_held = type === 'PauseJob' ? 1 : 0
        told.push(type)
        return emptyCronJob()
      },
    },
  })
  const first = check()
  await settle()
  mayAct = true
  const others = [check(), check()]
  await settle()
  goOn()
  await Promise.all([first, ...others])
  t.strictSame(told, ['PauseJob', 'GoOn'])
})

t.test('a job that was deleted meanwhile does not keep other jobs from being paused', async t => {
  const rows = ['one', 'two'].map(id => ({ id, maker_token: 't', maker_user: 'ann', is_held: 0 as const }))
  const told: string[] = []
  const check = createPausedJobs({
    makers: { mayAct: () => false },
    jobs: { byMaker: () => rows },
    runs: { queued: async () => {} },
    runtime: {
      async ask(stream) {
        told.push(stream)
        if (stream === 'cron-one') throw new Refusal('CronJobNotFound')
        return emptyCronJob()
      },
    },
  })
  await check()
  t.strictSame(told, ['cron-one', 'cron-two'])
})
