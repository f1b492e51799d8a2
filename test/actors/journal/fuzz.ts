// Random stories under random commands, crashes and disk failures: whatever happens, the log stays in order and
// every task comes to its end once somebody answers, resumes and waits.

import { Invalid, Refusal } from '../../../src/contract/refusals.ts'
import { StorageFailure } from '../../../src/contract/stored.ts'
import type { ScriptStep, Task } from '../../../src/contract/wire.ts'
import { isTerminal } from '../../../src/contract/wire.ts'
import { memoryStore } from '../../../src/log/memory-store.ts'
import type { Store } from '../../../src/log/store.ts'
import { admin, givenSystem, rowsOf, storeOf } from '../../support/system.ts'
import { clientTool } from '../../support/tools.ts'
import { randomOf, settle, testWorld } from '../../support/world.ts'
import { problemsIn, tasksIn } from './checks.ts'
import { rested } from './kills.ts'
import { outsideWorld } from './outside.ts'

/** What throws at once rejects. */
const later = async (what: () => Promise<unknown>): Promise<unknown> => what()

type Pending = { call_id: string; metadata?: { approval: true } }
type Meta = { pending_inputs?: Pending[]; reason?: string; effect?: { effect_id: string; call_id: string } }
const metaOf = (task: Task) => (task.metadata ?? {}) as Meta

/** A store whose writes fail now and then while `risk` is above zero. */
const riskyStore = (inner: Store, random: () => number) => {
  const state = { risk: 0 }
  const store: Store = {
    ...inner,
    async write(batch) {
      const fails = random() < state.risk
      const kept = random() < 0.5
      if (!fails || kept) await inner.write(batch)
      if (fails) throw new Error('the disk said no')
    },
  }
  return { store, state }
}

export type Story = { problems: string[]; crashes: number; resumes: number; ends: string[] }

export const randomStory = async (seed: number): Promise<Story> => {
  const random = randomOf(seed)
  const upTo = (n: number) => Math.floor(random() * n)
  const pick = <T>(...choices: T[]) => choices[upTo(choices.length)] as T

  const step = (depth: number): ScriptStep => {
    const kind = pick('tool', 'tool', 'tools', 'message', 'sleep', 'subagent', 'ask', 'pause')
    if (kind === 'tool') return { tool: pick('pay', 'ship', 'note', 'slow', 'nowhere') }
    if (kind === 'ask') return { tool: 'ask' }
    if (kind === 'message') return { message: 'one two three', delta_ms: upTo(60) }
    if (kind === 'sleep') return { sleep_ms: upTo(300) }
    if (kind === 'pause') return { pause: 'tea' }
    if (kind === 'subagent')
      return depth > 2 ? { message: 'deep' } : { subagent: 'script', input: script(depth + 1) }
    const calls = Array.from({ length: 1 + upTo(4) }, () => {
      const tool = pick('pay', 'ship', 'note', 'slow', 'ask', depth > 2 ? 'note' : 'agent_script')
      return { tool, arguments: tool === 'agent_script' ? { input: script(depth + 1) } : {} }
    })
    return { tools: calls }
  }
  const steps = (depth: number) => Array.from({ length: 1 + upTo(4) }, () => step(depth))
  const script = (depth: number) => JSON.stringify(steps(depth))

  const outside = outsideWorld()
  let inner = memoryStore()
  let marks = 0
  let time = Date.parse('2026-01-01T00:00:00.000Z')
  const start = async () => {
    const { store, state } = riskyStore(inner, random)
    const world = testWorld(seed + marks, time, `m${marks++}-`)
    const system = await givenSystem({ world, store, tools: outside.tools(world) })
    return { system, state }
  }
  let { system, state } = await start()
  let crashes = 0
  let resumes = 0
  const problems: string[] = []

  const quietly = async (what: Promise<unknown>): Promise<void> => {
    await what.catch(error => {
      const expected = error instanceof Refusal || error instanceof Invalid || error instanceof StorageFailure
      if (!expected && !/left memory/.test(String(error)))
        problems.push(`${error instanceof Error ? error.stack : error}`)
    })
  }
  const tasks = async () =>
    (await tasksIn(system)).flatMap(id => {
      const row = system.queries.rowById(id)
      return row === undefined || row.deleted === 1 ? [] : [system.get(id) as Task]
    })
  const resume = (task: Task) => {
    if (metaOf(task).effect !== undefined) resumes++
    return system.commands.resume(admin, task.id, 'req')
  }
  const answer = (task: Task, all: boolean) => {
    const { pending_inputs = [], effect } = metaOf(task)
    const calls = [...pending_inputs, ...(effect === undefined ? [] : [effect])]
    const given = all ? calls : calls.slice(0, 1)
    const asked = pending_inputs.find(({ metadata }) => metadata?.approval)
    if (asked !== undefined && upTo(4) > 0) {
      const decision = pick('approve', 'approve', 'refuse')
      return system.commands.decideApproval(admin, task.id, 'req', asked.call_id, { decision })
    }
    if (given.length === 0) return Promise.resolve()
    return system.commands.input(
      admin,
      task.id,
      'req',
      given.map(({ call_id }) => ({
        callId: call_id,
        itemId: `tr_${call_id}`,
        content: 'given',
        blocks: [],
      })),
    )
  }
  const elsewhere = (task: Task) => {
    const history_messages = (metaOf(task).pending_inputs ?? []).map(({ call_id }) => ({
      type: 'tool_result' as const,
      call_id,
      message_content: 'given',
      block_list: [],
    }))
    if (history_messages.length === 0) return Promise.resolve()
    const task_id = pick(undefined, task.id)
    const rest = { session_id: task.session_id, user_message_content: 'more', history_messages }
    return system.create({ ...rest, ...(task_id === undefined ? {} : { task_id }) })
  }
  const crash = async () => {
    crashes++
    time = system.world.clock.now() + 1000
    inner = await storeOf(rowsOf(inner))
    await system.close()
    ;({ system, state } = await start())
  }

  const create = () =>
    system.create({
      agent_config: {
        ...{ agent_id: 'script', script: steps(0) },
        approve: pick([], [], [], ['*'], ['note', 'agent:*']),
      },
      client_tools: [clientTool('ask')],
      session_id: pick('s1', 's2'),
    })
  const under: Promise<unknown>[] = [quietly(create())]
  for (let n = 0; n < 25; n++) {
    state.risk = upTo(4) === 0 ? 0.2 : 0
    const known = system.log.isFailing() ? [] : await tasks().catch(() => [])
    const task = known[upTo(known.length)]
    const deed = pick(
      'wait',
      'wait',
      'wait',
      'answer',
      'answer',
      'part',
      'else',
      'say',
      'pause',
      'resume',
      'cancel',
      'delete',
      'crash',
      'crash',
      'new',
      'aside',
    )
    if (deed === 'crash') await crash()
    else if (deed === 'new') under.push(quietly(create()))
    else if (task !== undefined) {
      const id = task.id
      const say = () => system.commands.message(admin, id, 'req', 'hi', { key: undefined, isRetry: false })
      if (deed === 'answer') under.push(quietly(later(() => answer(task, true))))
      if (deed === 'part') under.push(quietly(later(() => answer(task, false))))
      if (deed === 'else') under.push(quietly(later(() => elsewhere(task))))
      if (deed === 'say') under.push(quietly(say()))
      if (deed === 'pause') under.push(quietly(system.commands.pause(admin, id, 'req')))
      if (deed === 'resume') under.push(quietly(resume(task)))
      if (deed === 'cancel' && upTo(3) === 0) under.push(quietly(system.commands.cancel(admin, id, 'req')))
      if (deed === 'delete' && upTo(4) === 0) under.push(quietly(system.commands.remove(admin, id, 'req')))
      if (deed === 'aside' && upTo(4) === 0) {
        await settle() // not while an append is under way: put-aside.test.ts
        system.runtime.passivate(`task-${id}`)
        under.push(quietly(system.runtime.activate(`task-${id}`)))
      }
    }
    if (upTo(2) === 0) await settle(upTo(8))
    else await system.world.advance(upTo(120))
  }
  state.risk = 0
  if (upTo(2) === 0) await crash() // else what is in memory must come to an end, too
  for (let n = 0; n < 60; n++) {
    await rested(system)
    const open = (await tasks()).filter(({ status }) => !isTerminal(status))
    if (open.length === 0) break
    for (const task of open) {
      const { reason } = metaOf(task)
      // The task of a subagent and its caller wait for the same calls.
      if (task.status === 'input-required') await quietly(later(() => answer(task, true)))
      if (task.status === 'paused')
        await (reason === 'outcome_unknown' && upTo(2) === 0 ? answer(task, true) : resume(task))
    }
  }
  for (const task of await tasks()) {
    const { id, status, metadata } = task
    if (!isTerminal(status))
      problems.push(`${id} is ${status} ${JSON.stringify(metadata)}: ${(await system.factsOf(id)).slice(-8)}`)
    for (const call of task.output) {
      if (status !== 'completed' || call.type !== 'tool_call') continue
      const has = task.output.some(item => item.type === 'tool_result' && item.call_id === call.call_id)
      if (!has) problems.push(`${id}: ${call.call_id} of a completed task has no result`)
    }
  }
  problems.push(...(await problemsIn(system)))
  // An unsafe call runs as often as the log says that it was intended, at most.
  const intended = new Map<string, number>()
  for (const { header, data } of await system.stored()) {
    if (header.type !== 'EffectIntended') continue
    const { effect_id } = data as { effect_id: string }
    intended.set(effect_id, (intended.get(effect_id) ?? 0) + 1)
  }
  const counts = new Map<string, number>()
  for (const { tool, effectId } of outside.begun) {
    if (tool !== 'note') counts.set(effectId, (counts.get(effectId) ?? 0) + 1)
  }
  for (const [effectId, count] of counts) {
    const most = intended.get(effectId) ?? 0
    if (count > most) problems.push(`${effectId} began ${count} times, intended ${most} times`)
  }
  const ends = (await tasks()).map(({ status }) => status)
  await system.close()
  await Promise.all(under)
  return { problems, crashes, resumes, ends }
}
