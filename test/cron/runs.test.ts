// Runs of cron jobs in a world whose clock is set by the test.
import t from 'tap'
import { echo } from '../../src/agents/echo.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import {
  admin,
  crashed,
  givenSystem,
  holdReadModels,
  quiet,
  restarted,
  rowsOf,
  storeOf,
} from '../support/system.ts'
import { asked, cronEventsOf, dataOf, givenJob, noRetry, settableWorld, triggeredAt } from './jobs.ts'

const second = 1000
const zones = [
  {
    zone: 'Europe/Berlin',
    gap: ['2027-03-28T00:59:58Z', '2027-03-28T01:00:00.000Z'],
    overlap: ['2027-10-30T22:00:00Z', '2027-10-31T00:30:00.000Z', '2027-10-31T01:30:00Z'],
  },
  {
    zone: 'America/New_York',
    gap: ['2027-03-14T06:59:58Z', '2027-03-14T07:00:00.000Z'],
    overlap: ['2027-11-07T03:00:00Z', '2027-11-07T05:30:00.000Z', '2027-11-07T06:30:00Z'],
  },
  {
    zone: 'Australia/Lord_Howe',
    gap: ['2027-10-02T15:29:58Z', '2027-10-02T15:30:00.000Z'],
    overlap: ['2027-04-03T12:00:00Z', '2027-04-03T14:45:00.000Z', '2027-04-03T15:15:00Z'],
  },
] as const

for (const { zone, gap, overlap } of zones) {
  t.test(`in ${zone} a time in the gap runs at the first moment after it, once, over a restart`, async t => {
    const world = settableWorld(gap[0])
    let system = await givenSystem({ world })
    await givenJob(system, {
      schedule: zone === 'Australia/Lord_Howe' ? '15 2 * * *' : '30 2 * * *',
      timezone: zone,
    })
    await world.advance(3 * second)
    system = await restarted(system)
    await world.advance(3 * second)
    world.set(Date.parse(gap[1]) + 3600 * second)
    await world.advance(3 * second)
    t.strictSame(await triggeredAt(system), [gap[1]])
    await system.close()
  })

  t.test(`in ${zone} a time of the overlap runs in its first pass, and not in the second`, async t => {
    const world = settableWorld(overlap[0])
    let system = await givenSystem({ world })
    const schedule = {
      'Europe/Berlin': '30 2 * * *',
      'America/New_York': '30 1 * * *',
      'Australia/Lord_Howe': '45 1 * * *',
    }[zone]
    await givenJob(system, { schedule, timezone: zone })
    world.set(Date.parse(overlap[1]) - 500)
    await world.advance(2 * second)
    system = await restarted(system)
    world.set(Date.parse(overlap[2]) - 500)
    await world.advance(3 * second)
    t.strictSame(await triggeredAt(system), [overlap[1]])
    await system.close()
  })
}

t.test('a run begins at every time exactly once while the clock is set forward and back', async t => {
  const world = settableWorld('2026-06-01T12:00:00Z')
  const system = await givenSystem({ world })
  await givenJob(system, { schedule: '*/10 * * * * *', overlap: 'allow' })
  await world.advance(25 * second) // :10, :20
  world.set('2026-06-01T12:00:05Z') // back: both times come again
  await world.advance(20 * second)
  t.equal((await triggeredAt(system)).length, 2)
  world.set('2026-06-01T12:00:55Z') // forward over :30, :40 and :50, by less than a minute
  await world.advance(10 * second)
  const expected = [10, 20, 30, 40, 50, 60].map(s =>
    new Date(Date.parse('2026-06-01T12:00:00Z') + s * second).toISOString(),
  )
  t.strictSame(await triggeredAt(system), expected)
  await system.close()
})

for (const live of [true, false]) {
  const when = live ? 'while the server works' : 'while the server is down'
  t.test(
    `a job goes on at once when a clock that was a day ahead is put right ${when}, and no time runs twice`,
    async t => {
      const world = settableWorld('2026-06-01T12:00:00Z')
      let system = await givenSystem({ world })
      const id = await givenJob(system, { every_seconds: 2, overlap: 'allow' })
      await world.advance(5 * second) // 12:00:02, :04
      world.set('2026-06-02T12:00:01Z')
      await world.advance(6 * second) // a day ahead: :02, :04, :06
      if (!live) await system.close()
      world.set('2026-06-01T12:00:11Z') // put right
      if (!live) system = await givenSystem({ ...system.options })
      await world.advance(6 * second) // :12, :14, :16
      await quiet(system)
      const ran = await triggeredAt(system)
      const today = ran.filter(at => at.startsWith('2026-06-01'))
      t.ok(today.includes('2026-06-01T12:00:14.000Z'), 'within an interval or two')
      t.ok(today.length >= 4)
      const ahead = ran.filter(at => at.startsWith('2026-06-02'))
      t.ok(ahead.length >= 2)

      // The day passes: the times that have run ahead are not run again, and those after them are.
      world.set(Date.parse('2026-06-02T11:59:30Z'))
      await world.advance(60 * second)
      await quiet(system)
      const all = await triggeredAt(system)
      t.equal(new Set(all).size, all.length, 'no time has two runs')
      t.ok(all.includes('2026-06-02T11:59:58.000Z'))
      t.ok(all.includes('2026-06-02T12:00:20.000Z'))
      t.ok(Number(system.cron.queries.visible(admin, id).next_at) <= world.clock.now() + 2 * second)
      await system.close()
    },
  )
}

t.test('times that ran ahead do not run again, however many times are missed until they come', async t => {
  const world = settableWorld('2026-06-01T12:00:00Z')
  const system = await givenSystem({ world })
  await givenJob(system, { every_seconds: 2, overlap: 'allow' })
  await world.advance(5 * second)
  world.set('2026-06-02T12:00:01Z')
  await world.advance(6 * second)
  world.set('2026-06-01T12:00:11Z')
  for (let n = 0; n < 20; n++) {
    await world.advance(5 * second)
    world.set(world.clock.now() + 300 * second)
  }
  world.set('2026-06-02T11:59:58Z')
  await world.advance(20 * second)
  await quiet(system)
  const all = await triggeredAt(system)
  t.ok(all.includes('2026-06-02T12:00:04.000Z'))
  t.equal(new Set(all).size, all.length, 'no time has two runs')
  await system.close()
})

t.test('a job that was made while the clock was ahead runs at once when the clock is put right', async t => {
  const world = settableWorld('2026-06-02T12:00:00Z') // a day ahead
  const system = await givenSystem({ world })
  await givenJob(system, { every_seconds: 2, overlap: 'allow' })
  await world.advance(3 * second)
  world.set('2026-06-01T12:00:00Z')
  await world.advance(5 * second)
  await quiet(system)
  const today = (await triggeredAt(system)).filter(at => at.startsWith('2026-06-01'))
  t.ok(today.length >= 2)
  await system.close()
})

t.test('a job with another schedule since then has all times of it when the clock is put right', async t => {
  const world = settableWorld('2026-06-02T12:00:00Z') // a day ahead
  const system = await givenSystem({ world })
  const id = await givenJob(system, { every_seconds: 2, overlap: 'allow' })
  await world.advance(9 * second)
  await system.cron.commands.change(asked, id, {
    body: { every_seconds: null, schedule: '* * * * * *' },
    found: [],
  })
  world.set('2026-06-01T12:00:00Z')
  await world.advance(3 * second)
  world.set(Date.parse('2026-06-02T12:00:01Z'))
  await world.advance(3 * second)
  const ran = await triggeredAt(system)
  t.ok(ran.includes('2026-06-01T12:00:02.000Z'))
  t.ok(ran.includes('2026-06-02T12:00:03.000Z'))
  await system.close()
})

for (const missed of ['skip', 'run_once'] as const) {
  t.test(
    `of times that passed long ago, "${missed}" runs ${missed === 'skip' ? 'none' : 'the newest'}, and all are recorded once`,
    async t => {
      const world = settableWorld('2026-06-01T00:30:00Z')
      const system = await givenSystem({ world })
      const id = await givenJob(system, { schedule: '@hourly', missed })
      const row = system.cron.queries.visible(admin, id)
      await system.close()
      world.set('2026-06-01T05:30:00Z')
      const later = await givenSystem({ ...system.options })
      await world.advance(3 * second)
      const ran = await triggeredAt(later)
      t.strictSame(ran, missed === 'skip' ? [] : ['2026-06-01T05:00:00.000Z'])
      const [skipped] = dataOf(await cronEventsOf(later), 'CronRunSkipped') as {
        count?: number
        reason?: string
      }[]
      t.strictSame([skipped?.count, skipped?.reason], [missed === 'skip' ? 5 : 4, 'missed'])
      t.equal(later.cron.queries.visible(admin, row.id).next_at, Date.parse('2026-06-01T06:00:00Z'))
      await later.close()
    },
  )
}

t.test(
  'wherever the server is killed, each time of a job has one run with one task, and each run has one end',
  async t => {
    const world = settableWorld('2026-06-01T12:00:00Z')
    const inner = memoryStore()
    const copies: ReturnType<typeof rowsOf>[] = []
    const store = {
      ...inner,
      async write(batch: Parameters<typeof inner.write>[0]) {
        await inner.write(batch)
        copies.push(rowsOf(inner))
      },
    }
    const system = await givenSystem({ world, store })
    await givenJob(system, { every_seconds: 2, max_runs: 2 })
    const begun = copies.length
    await world.advance(5 * second)
    await quiet(system)
    await system.close()
    t.ok(copies.length > begun + 2)
    for (const rows of copies.slice(begun - 1)) {
      const again = await givenSystem({ ...system.options, store: await storeOf(rows) })
      await world.advance(8 * second)
      await quiet(again)
      const events = await cronEventsOf(again)
      t.strictSame(await triggeredAt(again), ['2026-06-01T12:00:02.000Z', '2026-06-01T12:00:04.000Z'])
      const made = (await again.stored()).filter(({ header }) => header.type === 'TaskCreated')
      const tasks = dataOf(events, 'CronJobTriggered').map(({ task_id }) => `task-${task_id}`)
      t.strictSame(
        made.map(({ header }) => header.stream),
        tasks,
      )
      const ended = dataOf(events, 'CronJobCompleted').map(({ task_id }) => `task-${task_id}`)
      t.strictSame(ended.toSorted(), tasks.toSorted())
      await again.close()
    }
  },
)

t.test('a run whose end was found at a start does not count as running any more', async t => {
  const world = settableWorld('2026-06-01T12:00:00Z')
  const store = memoryStore()
  const system = await givenSystem({ world, store })
  await givenJob(system, { every_seconds: 2, max_runs: 1 })
  await world.advance(3 * second)
  await quiet(system)
  await system.close()
  // The server was killed after the task of the run had ended, and before the end of the run was stored.
  const isEnd = ({ header }: { header: string }) => header.includes('"type":"CronJobCompleted"')
  const rows = rowsOf(store)
  const again = await givenSystem({
    ...system.options,
    store: await storeOf(rows.slice(0, rows.findIndex(isEnd))),
  })
  await quiet(again)
  t.equal(dataOf(await cronEventsOf(again), 'CronJobCompleted').length, 1)
  t.equal(again.cron.counts().running, 0)
  await again.close()
})

for (const overlap of ['skip', 'queue', 'allow'] as const) {
  t.test(`a time that comes while a run is at work: ${overlap}`, async t => {
    const world = settableWorld('2026-06-01T12:00:00Z')
    let system = await givenSystem({ world })
    const script = [{ sleep_ms: 4500 }, { message: 'done' }]
    const task = {
      user_message_content: 'go',
      session_id: 'daily',
      agent_config: { agent_id: 'script', script },
    }
    await givenJob(system, { every_seconds: 2, max_runs: 2, overlap, task } as never)
    await world.advance(4100)
    const types = (await cronEventsOf(system)).map(({ header }) => header.type)
    const second = { skip: 'CronRunSkipped', queue: 'CronRunQueued', allow: 'CronJobTriggered' }[overlap]
    t.strictSame(types.slice(0, 3), ['CronJobCreated', 'CronJobTriggered', second])
    system = await crashed(system)
    await world.advance(20_000)
    await quiet(system)
    const events = await cronEventsOf(system)
    t.equal(dataOf(events, 'CronJobTriggered').length, 2)
    t.equal(dataOf(events, 'CronJobCompleted').length, 2)
    await system.close()
  })
}

const slowTask = {
  user_message_content: 'go',
  session_id: 'daily',
  agent_config: { agent_id: 'script', script: [{ sleep_ms: 3000 * second }] },
}

t.test('a missed time that is skipped since a run is at work does not count for max_runs', async t => {
  const world = settableWorld('2026-06-01T12:00:00Z')
  let system = await givenSystem({ world })
  const job = { every_seconds: 60, max_runs: 2, missed: 'run_once', overlap: 'skip', task: slowTask }
  await givenJob(system, job as never)
  await world.advance(61 * second)
  await system.close()
  world.set(Date.parse('2026-06-01T12:10:30Z'))
  system = await restarted(system)
  await world.advance(100)
  const events = await cronEventsOf(system)
  const [missed, newest] = dataOf(events, 'CronRunSkipped')
  t.strictSame([missed?.reason, newest?.reason], ['missed', 'overlap'])
  t.equal(newest?.next?.at, Date.parse('2026-06-01T12:10:00Z'))
  t.strictSame(dataOf(events, 'CronJobEnded'), [])
  await system.close()
})

t.test('a time that is skipped since the queue is full does not count for max_runs', async t => {
  const world = settableWorld('2026-06-01T12:00:00Z')
  const system = await givenSystem({ world })
  await givenJob(system, { every_seconds: 1, max_runs: 102, overlap: 'queue', task: slowTask } as never)
  await world.advance(104 * second)
  const events = await cronEventsOf(system)
  t.equal(dataOf(events, 'CronRunQueued').length, 100)
  t.ok(dataOf(events, 'CronRunSkipped').every(({ reason }) => reason === 'queue_full'))
  t.strictSame(dataOf(events, 'CronJobEnded'), [])
  await system.close()
})

t.test('a job whose max_runs is lowered to the runs that it has had ends with that reason', async t => {
  const world = settableWorld('2026-06-01T12:00:00Z')
  const system = await givenSystem({ world })
  const id = await givenJob(system, { every_seconds: 2, max_runs: 5 })
  await world.advance(3 * second)
  await system.cron.commands.change(asked, id, { body: { max_runs: 1 }, found: [] } as never)
  t.strictSame(
    dataOf(await cronEventsOf(system), 'CronJobEnded').map(({ reason }) => reason),
    ['max_runs'],
  )
  await system.close()
})

t.test('a run whose task fails, and one that cannot be created, are failed runs', async t => {
  const world = settableWorld('2026-06-01T12:00:00Z')
  const system = await givenSystem({ world })
  const task = {
    user_message_content: 'go',
    agent_config: { agent_id: 'script', script: [{ fail: { code: -32000, message: 'no luck' } }] },
  }
  const id = await givenJob(system, { every_seconds: 3600, task } as never)
  await system.cron.commands.trigger(asked, id, noRetry)
  await quiet(system)
  const other = await restarted(system)
  const rows = other.cron.queries.runs(id, { limit: 10, after: undefined })
  t.strictSame(
    rows.map(({ status, error, manual }) => [status, error, manual]),
    [['failed', 'no luck', 1]],
  )
  await other.close()
})

t.test(
  'the stored task is checked again for each run: when its agent is gone, the run fails and says so',
  async t => {
    const world = settableWorld('2026-06-01T12:00:00Z')
    const own = { ...echo, name: 'own' }
    const system = await givenSystem({ world, agents: [own] })
    const task = { user_message_content: 'go', agent_config: { agent_id: 'own' } }
    const id = await givenJob(system, { every_seconds: 5, task } as never)
    await world.advance(6 * second)
    await quiet(system)
    const without = await restarted(system, { agents: [] })
    await world.advance(5 * second)
    await quiet(without)
    const rows = without.cron.queries.runs(id, { limit: 10, after: undefined })
    t.strictSame(
      rows.map(({ status, reason, task_id }) => [status, reason, task_id !== null]),
      [
        ['failed', 'invalid_task', false],
        ['completed', null, true],
      ],
    )
    t.match(rows[0]?.error ?? '', /agent_config\.agent_id/)
    await without.close()
  },
)

t.test(
  'a job keeps its secret values, gives them to each run, and loses them when it is deleted',
  async t => {
    const world = settableWorld('2026-06-01T12:00:00Z')
    let system = await givenSystem({ world })
    const id = await givenJob(system, {
      every_seconds: 60,
      task: { user_message_content: 'go', env: { KEY: 'hush' } },
    } as never)
    const { secrets } = system.options
    t.equal(JSON.stringify(await system.stored()).includes('hush'), false)
    system = await restarted(system)
    const [ref] = secrets.refs()
    t.strictSame(secrets.get(ref ?? ''), { env: { KEY: 'hush' } })
    await system.cron.commands.trigger(asked, id, noRetry)
    await quiet(system)
    const created = (await system.stored()).find(({ header }) => header.type === 'TaskCreated')
    t.ok((created?.data as { secret_ref?: string } | undefined)?.secret_ref)
    await system.cron.commands.remove(asked, id)
    t.strictSame(secrets.refs(), [])
    await system.close()
  },
)

t.test('the jitter of a time is the same after a restart', async t => {
  const world = settableWorld('2026-06-01T12:00:00Z')
  const system = await givenSystem({ world })
  const id = await givenJob(system, { every_seconds: 600, jitter_seconds: 300 })
  const before = system.cron.queries.visible(admin, id)
  t.ok((before.due_at ?? 0) > (before.next_at ?? 0))
  const again = await restarted(system)
  t.equal(again.cron.queries.visible(admin, id).due_at, before.due_at)
  await again.close()
})

t.test('a thousand jobs that are due in one second all run, within the limit of the scheduler', async t => {
  const world = settableWorld('2026-06-01T11:59:58Z')
  const system = await givenSystem({ world, maxRunningTasks: 5 })
  for (let n = 0; n < 1000; n++) await givenJob(system, { at: '2026-06-01T12:00:00Z' })
  await world.advance(3 * second)
  for (let n = 0; n < 100 && system.cron.busy() > 0; n++) await quiet(system)
  await quiet(system)
  const events = await cronEventsOf(system)
  t.equal(dataOf(events, 'CronJobTriggered').length, 1000)
  t.equal(dataOf(events, 'CronJobCompleted').length, 1000)
  await system.close()
})

t.test(
  'runs that wait behind others for more than a minute begin all the same, since the server looked in time',
  async t => {
    const world = settableWorld('2026-06-01T11:59:58Z')
    const inner = memoryStore()
    let isFree = Promise.resolve()
    const store = {
      ...inner,
      async write(batch: Parameters<typeof inner.write>[0]) {
        await isFree
        await inner.write(batch)
      },
    }
    const system = await givenSystem({ world, store })
    for (let n = 0; n < 200; n++) await givenJob(system, { at: '2026-06-01T12:00:00Z' })
    isFree = new Promise(resolve => void world.timers.after(65 * second, resolve))
    await world.advance(70 * second)
    for (let n = 0; n < 100 && system.cron.busy() > 0; n++) await quiet(system)
    await quiet(system)
    const events = await cronEventsOf(system)
    t.equal(dataOf(events, 'CronJobTriggered').length, 200)
    t.equal(dataOf(events, 'CronRunSkipped').length, 0)
    await system.close()
  },
)

t.test(
  'a run that waits begins after the one before it, though the read models were behind then',
  async t => {
    const world = settableWorld('2026-05-01T00:00:00Z')
    const reported: string[] = []
    const report = (level: string, message: string) => void (level === 'error' && reported.push(message))
    const system = await givenSystem({ world, report })
    const script = [{ sleep_ms: 1500 }]
    const task = {
      user_message_content: 'go',
      session_id: 'daily',
      agent_config: { agent_id: 'script', script },
    }
    await givenJob(system, { every_seconds: 1, overlap: 'queue', max_runs: 2, task })
    await world.advance(2 * second)
    await quiet(system)
    const catchUp = holdReadModels(system)
    await world.advance(second)
    await quiet(system)
    t.equal(system.projector.isCurrent(), false)
    await catchUp()
    await quiet(system)
    t.equal((await triggeredAt(system)).length, 2)
    await world.advance(2 * second)
    const ended = dataOf(await cronEventsOf(system), 'CronJobCompleted')
    t.equal(ended.length, 2)
    t.same(
      reported.filter(message => !message.startsWith('the read models stopped')),
      [],
    )
  },
)
