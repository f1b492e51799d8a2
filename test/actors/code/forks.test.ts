// Forks of tasks whose agent is code: the code of the fork sees what the code of the task saw, and goes on from there.
import t from 'tap'
import type { Context } from '../../../library/agent/types.ts'
import { compare } from '../../../src/history/diff/compare.ts'
import { admin, givenSystem, quiet, type TestSystem } from '../../support/system.ts'
import { tool } from '../../support/tools.ts'
import { hostsHere } from './hosts-here.ts'

const given = async (agents: Record<string, unknown>) => {
  const hosts = hostsHere(agents)
  const system = await givenSystem({ codeAgents: hosts.served, tools: [tool('note')] })
  const task = await system.create({ agent_config: { agent_id: 'mine' } })
  return { system, task, hosts }
}
const framesOf = async (system: TestSystem, id: string): Promise<number> => {
  const last = (await system.stored()).findLast(({ header }) => header.stream === `task-${id}`)
  return (last?.header.seq ?? 0) + (last?.header.frames ?? 0)
}
const fork = async (system: TestSystem, task: string, at: number, more: object = {}) => {
  const task_id = `fork-${task}-${at}`
  const retry = { key: undefined, isRetry: false }
  await system.commands.fork(admin, task, `req_${at}`, { at, task_id, ...more }, retry)
  return task_id
}
/** Works until the task has ended. Time passes, and each question is answered with the time at which it was asked. */
const ended = async (system: TestSystem, id: string) => {
  for (let n = 0; n < 200; n++) {
    await quiet(system)
    const { status, input_required } = system.get(id)
    if (['completed', 'failed', 'paused'].includes(status)) break
    if (input_required !== undefined) {
      const { call_id: callId } = input_required
      const answers = [{ callId, itemId: `tr_${callId}`, content: 'yes', blocks: [] }]
      await system.commands.input(admin, id, 'r', answers)
    }
    await system.world.advance(1000)
  }
  return system.get(id)
}
const answerOf = ({ output }: { output: unknown[] }) =>
  (output.at(-1) as { message_content: { text: string }[] }).message_content[0]?.text

t.test('a fork at any frame sees the same times and random numbers, and ends the same', async t => {
  const { system, task } = await given({
    mine: async (ctx: Context) => {
      const times = [ctx.now()]
      await ctx.tool('note', { text: `now ${ctx.now()}, drawn ${ctx.random()}` })
      times.push(ctx.now())
      await ctx.sleep(3000)
      times.push(ctx.now())
      ctx.say(`slept from ${times[1]} to ${times[2]}`)
      if (ctx.now() % 2 === 0) await ctx.tool('note', { text: 'even' })
      const said = await ctx.ask('go on', { at: ctx.now() })
      await ctx.run('act', () => 1)
      const child = await ctx.agent('helper', said)
      return child
    },
    helper: async (ctx: Context) => `helped with ${ctx.input.text}`,
  })
  t.match(await ended(system, task), { status: 'completed' })
  const frames = await framesOf(system, task)
  t.ok(frames > 20, `${frames} frames`)
  for (let at = 0; at < frames; at++) {
    await system.world.advance(977)
    const done = await ended(system, await fork(system, task, at))
    t.match(done, { status: 'completed', error: undefined }, `fork at ${at}`)
    t.equal(answerOf(done), answerOf(system.get(task)), `fork at ${at}`)
  }
})

t.test('a fork of a fork sees the times of the first task', async t => {
  const { system, task } = await given({
    mine: async (ctx: Context) => {
      const began = ctx.now()
      await ctx.ask('first', { began })
      await ctx.ask('second', { at: ctx.now() })
      return `${began} ${ctx.now() > began}`
    },
  })
  const whole = await ended(system, task)
  const middle = (await framesOf(system, task)) - 12
  const first = await fork(system, task, middle)
  t.equal(answerOf(await ended(system, first)), answerOf(whole))
  const second = await fork(system, first, middle)
  t.equal(answerOf(await ended(system, second)), answerOf(whole))
  t.same((await compare(system.log.readStream, `task-${task}`, `task-${second}`)).facts, [])
})

t.test('a fork that takes another agent must begin before the code has begun', async t => {
  const { system, task } = await given({
    mine: async (ctx: Context) => `mine: ${await ctx.ask('colour')}`,
    other: async () => 'other',
  })
  await ended(system, task)
  const agent = (agent_id: string) => ({ agent_config: { agent_id } })
  for (const name of ['other', 'echo']) {
    const problems = await fork(system, task, 5, agent(name)).catch(error => error.problems)
    t.match(problems, [{ loc: ['body', 'agent_config', 'agent_id'], msg: /cannot go on/ }], name)
  }
  const echo = await system.create({ agent_config: { agent_id: 'echo' } })
  await quiet(system)
  const problems = await fork(system, echo, 5, agent('other')).catch(error => error.problems)
  t.match(problems, [{ loc: ['body', 'agent_config', 'agent_id'] }])
})

t.test('a fork while a side effect is under way runs it again, and a sleep goes on', async t => {
  let runs = 0
  const { system, task, hosts } = await given({
    mine: async (ctx: Context) => {
      const one = await ctx.run('slow', async () => {
        runs++
        await new Promise(() => {})
      })
      return one
    },
    sleeper: async (ctx: Context) => {
      await ctx.sleep(60_000)
      return `slept until ${ctx.now()}`
    },
  })
  await quiet(system)
  const frames = await framesOf(system, task)
  const under = await fork(system, task, frames - 1)
  await quiet(system)
  t.equal(runs, 2, 'work that has begun counts as not begun')
  hosts.kill()
  await quiet(system)
  t.equal(runs, 2, 'what its host has begun is not run again')
  t.match(system.get(under), { status: 'paused', metadata: { reason: 'outcome_unknown' } })
  t.match(system.get(task), { status: 'paused', metadata: { reason: 'outcome_unknown' } })

  const asleep = await system.create({ agent_config: { agent_id: 'sleeper' } })
  await quiet(system)
  const { sleeping_until } = system.get(asleep).metadata
  const other = await fork(system, asleep, (await framesOf(system, asleep)) - 1)
  await quiet(system)
  t.equal(system.get(other).metadata.sleeping_until, sleeping_until)
  await system.world.advance(61_000)
  await quiet(system)
  t.match(system.get(asleep), { status: 'completed' })
  t.match(system.get(other), { status: 'completed' })
})
