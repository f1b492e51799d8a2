// The package reprise/testing: a server in the process of a test, whose clock the test moves, and which it kills and starts again.
import { existsSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { assign, setup } from 'xstate'
import { machineAgent } from '../../library/agent/definition.ts'
import type { Context } from '../../library/agent/types.ts'
import { startTestServer } from '../../library/testing/index.ts'
import type { ServerOptions } from '../../library/testing/types.ts'

const day = 86_400_000
const given = async (t: Test, options: ServerOptions = {}) => {
  const server = await startTestServer(options)
  t.teardown(server.stop)
  return server
}

t.test('a week passes at once, each timer at its own time and in order', async t => {
  const woken: string[] = []
  const server = await given(t, {
    at: '2026-03-01T09:00:00Z',
    agents: {
      async sleeper(ctx: Context) {
        for (let n = 1; n <= Number(ctx.config.times); n++) {
          await ctx.sleep(Number(ctx.config.days) * day)
          woken.push(`${ctx.input.text} ${new Date(ctx.now()).toISOString().slice(0, 13)}`)
        }
        return 'slept'
      },
    },
  })
  const one = await server.task('sleeper', 'one', { agent_config: { times: 3, days: 2 } })
  const other = await server.task('sleeper', 'other', { agent_config: { times: 1, days: 3 } })
  await server.clock.advance('7 days')
  t.equal(await one.result(), 'slept')
  t.equal(await other.result(), 'slept')
  t.same(
    woken.filter((line, n) => woken.indexOf(line) === n),
    ['one 2026-03-03T09', 'other 2026-03-04T09', 'one 2026-03-05T09', 'one 2026-03-07T09'],
  )
  t.ok(server.clock.now() >= Date.parse('2026-03-08T09:00:00Z'))
})

t.test('a task sleeps for a week across restarts and kills, and its clock goes on', async t => {
  const server = await given(t, {
    agents: { sleeper: async (ctx: Context) => void (await ctx.sleep(7 * day)) },
  })
  const task = await server.task('sleeper', 'a week')
  const until = server.clock.now() + 7 * day
  for (const how of ['restart', 'kill'] as const) {
    await server.clock.advance('2 days')
    if (how === 'kill') await server.kill()
    await server.restart()
    t.match(await task.get(), { status: 'working', metadata: { sleeping_until: Number } }, how)
  }
  await server.kill()
  await server.clock.advance('2.9 days')
  t.ok(server.clock.now() < until, 'the clock moves while no server runs')
  await server.restart()
  t.match(await task.get(), { status: 'working' })
  await server.clock.advance('0.2 days')
  t.equal((await task.ended()).status, 'completed')
})

t.test('a cron job runs at each of its times', async t => {
  const server = await given(t, { at: '2026-03-01T09:00:00Z' })
  const body = {
    ...{ name: 'daily', schedule: '0 12 * * *' },
    task: { user_message_content: 'hello', agent_config: { agent_id: 'echo' } },
  }
  const made = await server.request('POST', '/cron/jobs', body)
  t.ok(made.ok, await made.text())
  await server.clock.advance('3 days')
  const { result } = (await (await server.request('GET', '/tasks?limit=10')).json()) as { result: object[] }
  t.equal(result.length, 3)
})

t.test('a question is answered, a message and an event are sent', async t => {
  const chart = setup({}).createMachine({
    context: { by: '' },
    initial: 'waiting',
    states: {
      waiting: {
        on: { approve: { target: 'over', actions: assign({ by: ({ event }) => event.by }) } },
      },
      over: { type: 'final' },
    },
    output: ({ context }) => context.by,
  })
  const server = await given(t, {
    agents: {
      asks: async (ctx: Context) => {
        const answer = await ctx.ask('colour', { of: ctx.input.text })
        return `${answer}, ${(await ctx.message()).text}`
      },
      chart: machineAgent(chart),
    },
  })
  const task = await server.task('asks', 'the sky')
  t.match(await task.question(), { name: 'colour', arguments: { of: 'the sky' } })
  await task.answer('blue')
  await task.send('indeed')
  t.equal(await task.result(), 'blue, indeed')
  const other = await server.task('chart', 'x')
  await other.send({ type: 'approve', by: 'Ada' })
  t.equal(await other.result(), 'Ada')
})

t.test('the model plays a script and its faults, and shows what it was asked', async t => {
  const server = await given(t, {
    agents: { asks: (ctx: Context) => ctx.model(ctx.input.text, { retries: 1 }) },
    model: [{ when: 'hello', text: 'Hello, you.' }],
    faults: ['cut-in-text@1'],
  })
  const task = await server.task('asks', 'hello')
  await server.clock.advance('10 s')
  t.equal(await task.result(), 'Hello, you.')
  t.equal(server.model.requests.length, 2)
  server.model.script([{ text: 'Something else.' }])
  t.equal(await (await server.task('asks', 'hello')).result(), 'Something else.')
  t.throws(() => server.model.script([{ txt: 'wrong' }]), /txt/)
})

t.test('a model that hangs is given up when its time has passed on the clock', async t => {
  const server = await given(t, {
    agents: {
      asks: (ctx: Context) =>
        ctx.model('hello', { timeout: 30_000 }).catch((error: Error) => error.constructor.name),
    },
    model: [{ text: 'Never.', fault: 'hang-at-once' }],
  })
  const task = await server.task('asks', 'hello')
  await task.until(({ status }) => status === 'working')
  await server.clock.advance('1 minute')
  t.equal(await task.result(), 'TimeoutError')
})

t.test('after a kill nothing more is stored, and a planned kill comes at its append', async t => {
  const done: string[] = []
  const server = await given(t, {
    agents: {
      async worker(ctx: Context) {
        for (const name of ['one', 'two', 'three'])
          await ctx.run(name, () => void done.push(name), { safe: true })
        return 'done'
      },
    },
  })
  const task = await server.task('worker', 'go')
  t.equal(await task.result(), 'done')
  const { appends } = server.counts
  await server.kill()
  await t.rejects(server.request('GET', `/tasks/${task.id}`), /restart\(\)/)
  await server.restart()
  t.equal(await task.result(), 'done')
  done.length = 0
  server.killAt(3, 'before')
  const other = await server.task('worker', 'go')
  t.equal(await other.result(), 'done')
  t.same([...new Set(done)], ['one', 'two', 'three'])
  t.equal(server.counts.kills, 2)
  t.ok(server.counts.appends > appends)
})

t.test('agents are killed and go on, from their journal', async t => {
  let begun = 0
  const server = await given(t, {
    agents: {
      async mine(ctx: Context) {
        begun++
        await ctx.run('one', () => 1, { safe: true })
        return ctx.ask('go on')
      },
    },
  })
  const task = await server.task('mine', 'x')
  await task.question()
  await server.killAgents()
  await task.answer('yes')
  t.equal(await task.result(), 'yes')
  t.equal(begun, 2)
})

t.test('nobody knows whether an unsafe function has ended: somebody says what came out', async t => {
  const effects: string[] = []
  const agents = {
    mine: async (ctx: Context) => `paid ${await ctx.run('pay', () => effects.push('paid'))}`,
  }
  const server = await given(t, {
    agents,
    onUnknownEffect: ({ name }) => (effects.length > 0 ? `${effects.length} by ${name}` : undefined),
  })
  server.killAgentsAt(4)
  const task = await server.task('mine', 'x')
  t.match(await task.result(), /^paid 1( by pay)?$/)
  t.same(effects, ['paid'])
  const other = await given(t, { agents })
  other.killAgentsAt(4)
  await t.rejects((await other.task('mine', 'x')).result(), /nobody knows whether “pay” .* onUnknownEffect/)
})

t.test('a folder of agents is hosted', async t => {
  const server = await given(t, { agents: path.resolve('examples/agents') })
  const { data } = (await (await server.request('GET', '/agents')).json()) as { data: { name: string }[] }
  t.ok(data.some(({ name }) => name === 'approval'))
})

t.test('the folder is removed at the end, unless the test has made it', async t => {
  const own = t.testdir()
  for (const dataDir of [undefined, own]) {
    const server = await startTestServer(dataDir === undefined ? {} : { dataDir })
    await server.stop()
    await server.stop()
    t.equal(existsSync(server.dataDir), dataDir !== undefined)
    await t.rejects(server.request('GET', '/tasks'), /stopped/)
  }
})

t.test('what makes no sense is refused, with words about it', async t => {
  await t.rejects(
    startTestServer({ agents: { mine: 5 as never } }),
    /the agent mine: an agent must be a function/,
  )
  await t.rejects(
    startTestServer({ agents: { echo: () => 'x' } }),
    /echo: the name belongs to a built-in agent/,
  )
  await t.rejects(startTestServer({ faults: ['no-such-fault'] }), /no-such-fault/)
  await t.rejects(startTestServer({ at: 'yesterday' }), /yesterday is no time/)
  await t.rejects(startTestServer({ variables: { LOG_LEVEL: 'loud' } }), /LOG_LEVEL=loud/)
  const server = await given(t)
  await t.rejects(server.clock.advance('soon'), /"soon" is no span of time/)
  t.throws(() => server.killAt(0), /whole number from 1/)
  await t.rejects(server.task('nobody', 'x'), /422|404|agent/)
})
