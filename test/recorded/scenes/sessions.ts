// Environment sessions of each level of recovery, in each state and closed for each reason; tasks that step them.
import { writeFileSync } from 'node:fs'
import { script } from '../../http/agent-tasks.ts'
import { counter, gone, kept } from '../../http/env-calls.ts'
import { pause } from '../../support/http.ts'
import type { Stage } from './stage.ts'

const modules = [counter, kept, gone]

export const playSessions = async (stage: Stage): Promise<void> => {
  const { env, act, begins, becomes, post, must } = stage
  await env.made({ session_id: 'idle' })
  await pause(1500)
  await env.observe('of-anna')
  await must('POST', '/env/sessions/cleanup?inactive_seconds=1')
  for (const [n, env_class_path] of modules.entries()) {
    const id = `steps-${n}`
    const key = { 'idempotency-key': `create-${n}` }
    await env.create({ session_id: id, env_class_path, client_id: 'c1', env_vars: { PASSWORD: 'open' } }, key)
    await env.add(id, 2, { 'idempotency-key': `step-${n}` })
    await env.step(id, 'draw', {}, { task_id: 'task_mine', expected_step: 2 })
    await env.step(id, 'say', { words: 'one two' })
    await env.step(id, 'fail', { why: 'not today' })
    await env.step(id, 'lie')
    await env.step(id, 'draw', {}, { env_vars: { OF_THE_STEP: 'open' } })
    await env.add(id, 1000)
    await env.reset(id, { seed: 7, options: { start: 5 } })
    await env.reset(id)
    await must('POST', '/env/reset', { session_id: id }, { 'idempotency-key': `reset-${n}` })
    await env.step(id, 'draw')
  }
  await env.close(await env.made({ session_id: 'seen', env_class_path: 'seen.mjs#Seen' }))
  for (const [n, env_class_path] of modules.entries()) {
    const done = await env.made({ session_id: `done-${n}`, env_class_path, env_init_kwargs: { end: 3 } })
    await env.add(done, 3)
    const closed = await env.made({ session_id: `closed-${n}`, env_class_path })
    await env.step(closed, 'end')
    await env.close(closed)
    await env.made({ session_id: closed, env_class_path, env_init_kwargs: { start: 9 } })
    await env.add(closed, 1)
    await env.close(closed)
    const crashed = await env.made({ session_id: `crashed-${n}`, env_class_path })
    await env.step(crashed, 'exit')
    await env.remove(crashed)
  }
  const crashed = await env.made({ session_id: 'crashed' })
  await env.step(crashed, 'exit')
  const again = await env.made({ session_id: 'again' })
  await env.add(again, 1)
  await env.close(again)
  await env.made({ session_id: again })
  await env.remove(await env.made({ session_id: 'deleted-while-active' }))
  const lost = await env.made({ session_id: 'lost-in-its-reset' })
  await env.reset(lost, { options: { exit: true } })
  await env.create({ session_id: 'grid', env_class_path: 'gridworld', user_id: 'anna' })
  await env.step('grid', 'look')
  await env.create({ session_id: 'chess', env_class_path: 'chess' })
  await env.create({ session_id: 'sql', env_class_path: 'sql' })
  await env.step('sql', 'execute', { sql: 'CREATE TABLE seen (n)' })
  await env.create({ session_id: 'mcp', env_id: 'mcp', env_init_kwargs: { server: 'tools' } })
  await env.step('mcp', 'echo', { text: 'hello' })

  const world = await env.made({ session_id: 'world', env_init_kwargs: { end: 5 } })
  await post({
    session_id: world,
    agent_config: script(
      { tool: 'say', arguments: { words: 'one two' } },
      { tool: 'add', arguments: { by: 5 } },
      { message: 'never said' },
    ),
  })
  const held = await env.made({ session_id: 'held' })
  const holding = await begins({
    session_id: held,
    agent_config: script({ tool: 'hold', arguments: { file: stage.file('held') } }),
  })
  await stage.exists('held.begun')
  await pause(200) // what it says is stored
  await act(holding, 'cancel')
  await becomes(holding, 'canceled')
  const speaking = await begins({
    session_id: await env.made({ session_id: 'speaks' }),
    agent_config: script({ tool: 'hold', arguments: { file: stage.file('spoken') } }),
  })
  await stage.exists('spoken.begun')
  await pause(200)
  writeFileSync(stage.file('spoken'), '')
  await becomes(speaking, 'completed')
}

/** Sessions that the kill and the restarts will meet: one of them in the middle of a step. */
export const playHeldSessions = async ({ env, file, exists }: Stage): Promise<void> => {
  for (const [n, env_class_path] of modules.entries()) {
    const id = await env.made({ session_id: `held-${n}`, env_class_path })
    await env.add(id, 1)
    void env.step(id, 'hold', { file: file(`step-${n}`) }).catch(() => {}) // the kill breaks it off
    await exists(`step-${n}.begun`)
  }
  await env.made({ session_id: 'secretive', env_class_path: 'sql', env_vars: { PASSWORD: 'open' } })
  await env.made({ session_id: 'old-code', env_class_path: counter })
}

const holdFor = (stage: Stage) => ({ tool: 'hold', arguments: { file: stage.file('of-a-task') } })
/** A task that the kill meets in a step that may not be repeated. */
export const playHeldTask = async (stage: Stage): Promise<string> => {
  const session_id = await stage.env.made({ session_id: 'held-by-a-task', env_class_path: kept })
  const id = await stage.begins({
    session_id,
    agent_config: script(holdFor(stage), { message: 'so $result' }),
  })
  await stage.exists('of-a-task.begun')
  return id
}

/** The same after the kill: the task has its step taken once more, and over HTTP a caller hears that nobody knows. */
export const playCutOff = async (stage: Stage, task: string): Promise<void> => {
  const { env, act, becomes, file } = stage
  await becomes(task, 'paused')
  writeFileSync(file('of-a-task'), '')
  await act(task, 'resume')
  await becomes(task, 'completed')
  await env.add('held-1', 1)
  const again = await env.made({ session_id: 'made-after-its-deletion', env_class_path: kept })
  await env.add(again, 1)
  await env.remove(again)
  await env.made({ session_id: again, env_class_path: counter })
  await env.reset(again, { seed: -7 })
}
