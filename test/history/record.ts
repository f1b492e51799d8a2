// node test/history/record.ts: records histories of this version in test/histories, one file each. A file
// that is there already is left as it is; docs/changing.md says when it may be removed.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import type { Usage } from '../../src/contract/wire.ts'
import { emptyTask, evolve } from '../../src/history/task-view.ts'
import { decode } from '../../src/log/decode.ts'
import { build, version } from '../../src/platform/version.ts'
import { admin, crashed, givenSystem, quiet, rowsOf, type TestSystem } from '../support/system.ts'
import { clientTool, outside, tool } from '../support/tools.ts'
import { testWorld } from '../support/world.ts'
import { type StoredRow, writeHistory } from './stored.ts'
import { framesFrom, taskFrom } from './told.ts'

type Recorder = (system: TestSystem) => Promise<{ taskId: string; system?: TestSystem }>
const ttls = { created: 60, queued: 5, working: 600, paused: 60, 'input-required': 60 }

const tools = [tool('count'), tool('read', { safe: true }), outside('slow', { waits: true }).tool]

const recorders: Record<string, Recorder> = {
  echo: async system => ({
    taskId: await system.create({
      user_message_content: [{ type: 'input_text', text: 'hello, 世界 🙂' }, 'and more'],
    }),
  }),
  'script-with-everything': async system => {
    const taskId = await system.play(
      [
        { reasoning: 'let me see' },
        { message: 'one two three four five', delta_ms: 60 },
        { message: 'whole' },
        { usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } },
        { sleep_ms: 300 },
        { usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, note: 'open' } as Usage },
        { pause: 'tea' },
        { message: 'after it', delta_ms: 10 },
      ],
      {
        session_id: 's1',
        user_id: 'anna',
        metadata: { mine: { deep: [1, null] } },
        env: { TOKEN: 'secret' },
        history_messages: [{ type: 'message', role: 'user', message_content: 'before' }],
        thought_messages: [
          { type: 'reasoning', id: 'rs_given', summary: [{ type: 'summary_text', text: 'so' }] },
        ],
      },
    )
    await system.world.advance(2000)
    await system.commands.resume(admin, taskId, 'req_resume')
    return { taskId }
  },
  'second-of-a-session': async system => {
    await system.create({ session_id: 's1', user_message_content: 'first' }, { key: 'key-1' })
    await quiet(system)
    return { taskId: await system.create({ session_id: 's1', user_message_content: 'second' }) }
  },
  'paused-by-hand': async system => {
    const taskId = await system.play([{ sleep_ms: 500 }, { message: 'after' }])
    await system.world.advance(100)
    await system.commands.pause(admin, taskId, 'req_pause')
    await system.world.advance(1000)
    await system.commands.resume(admin, taskId, 'req_resume')
    return { taskId }
  },
  'still-paused': async system => ({ taskId: await system.play([{ message: 'a' }, { pause: 'tea' }]) }),
  canceled: async system => {
    const taskId = await system.play([{ message: 'one two three', delta_ms: 500 }])
    await system.world.advance(700)
    await system.commands.cancel(admin, taskId, 'req_cancel', 'enough')
    return { taskId }
  },
  'canceled-while-queued': async system => {
    await system.play([{ sleep_ms: 1000 }], { session_id: 's1' })
    const taskId = await system.create({ session_id: 's1' })
    await system.commands.cancel(admin, taskId, 'req_cancel')
    return { taskId }
  },
  failed: async system => ({
    taskId: await system.play([{ message: 'a' }, { fail: { code: -32000, message: 'the model said no' } }]),
  }),
  queued: async system => {
    await system.play([{ sleep_ms: 1000 }], { session_id: 's1' })
    const taskId = await system.create({ session_id: 's1' })
    await system.world.advance(2000)
    return { taskId }
  },
  'expired-while-queued': async system => {
    await system.play([{ sleep_ms: 60_000 }], { session_id: 's1' })
    const taskId = await system.create({ session_id: 's1' })
    await system.world.advance(6000)
    return { taskId }
  },
  deleted: async system => {
    const taskId = await system.create({ user_message_content: 'forget me' })
    await quiet(system)
    await system.commands.remove(admin, taskId, 'req_delete')
    return { taskId }
  },
  'tools-in-parallel': async system => ({
    taskId: await system.play([
      { tools: [{ tool: 'count', arguments: { n: 1 } }, { tool: 'nobody' }, { tool: 'read' }] },
      { message: 'then $result' },
    ]),
  }),
  'client-tools-in-parts': async system => {
    const client_tools = [clientTool('ask')]
    const taskId = await system.play(
      [{ tools: [{ tool: 'ask' }, { tool: 'ask' }] }, { message: '$result' }],
      {
        client_tools,
      },
    )
    await quiet(system)
    for (const { call_id: callId } of system.get(taskId).metadata.pending_inputs) {
      const answer = {
        callId,
        itemId: system.world.ids.next('tr_'),
        content: 'yes',
        blocks: [{ type: 'chart' }],
      }
      await system.commands.input(admin, taskId, 'req_input', [answer])
    }
    return { taskId }
  },
  'continued-elsewhere': async system => {
    const given = { session_id: 's1', client_tools: [clientTool('ask')] }
    const taskId = await system.play([{ tool: 'ask' }, { message: 'never' }], given)
    await quiet(system)
    const { call_id } = system.get(taskId).input_required
    const result = { type: 'tool_result' as const, call_id, message_content: 'yes', block_list: [] }
    await system.create({ session_id: 's1', history_messages: [result] })
    return { taskId }
  },
  'steered-and-rewarded': async system => {
    const taskId = await system.play([{ sleep_ms: 500 }, { message: 'after' }])
    await system.world.advance(100)
    const call = { key: 'key-2', isRetry: false }
    await system.commands.message(admin, taskId, 'req_message', 'be quick', call)
    await system.world.advance(1000)
    await system.commands.reward(admin, taskId, 'req_reward', {
      value: 0.5,
      name: 'speed',
      data: { by: 'hand' },
    })
    return { taskId }
  },
  'with-a-subagent': async system => ({
    taskId: await system.play([
      {
        subagent: 'script',
        input: JSON.stringify([{ usage: { input_tokens: 2 } }, { message: 'from below' }]),
      },
      { message: 'it said $result' },
    ]),
  }),
  'outcome-unknown': async system => {
    const taskId = await system.play([{ tool: 'slow' }, { message: 'then' }])
    await system.world.advance(100)
    return { taskId, system: await crashed(system) }
  },
  'canceled-in-a-tool': async system => {
    const taskId = await system.play([{ tool: 'slow' }, { message: 'never' }])
    await system.world.advance(100)
    await system.commands.cancel(admin, taskId, 'req_cancel')
    return { taskId }
  },
  'abandoned-step': async system => {
    const taskId = await system.play([{ reasoning: 'first' }, { message: 'one two three', delta_ms: 100 }])
    await system.world.advance(180)
    const again = await crashed(system)
    await again.world.advance(2000)
    return { taskId, system: again }
  },
}

for (const [index, [name, recorder]] of Object.entries(recorders).entries()) {
  const file = path.join(import.meta.dirname, '../histories', `${version}-${name}.ndjson`)
  if (existsSync(file)) continue
  const first = await givenSystem({ world: testWorld(index + 1), ttls, build, tools })
  const { taskId, system = first } = await recorder(first)
  await quiet(system)
  const rows = rowsOf(system.store).filter(row => row.stream === `task-${taskId}`) as StoredRow[]
  const events = rows.map(row => taskEvents.read(decode(row)))
  const { deleted } = events.reduce(evolve, emptyTask())
  writeFileSync(
    file,
    writeHistory({ rows, expected: { task: taskFrom(events), deleted, frames: framesFrom(events) } }),
  )
  console.log(`${path.basename(file)}: ${rows.length} events`)
  await system.close()
}
