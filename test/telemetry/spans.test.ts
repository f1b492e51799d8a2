// The spans that a task's events give: which, when, below which other, with what about them.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { isTerminal } from '../../src/contract/wire.ts'
import { openLog } from '../../src/log/log.ts'
import type { Span } from '../../src/telemetry/spans.ts'
import { createTracker } from '../../src/telemetry/tracker.ts'
import { readHistory } from '../history/stored.ts'
import { admin, givenSystem, quiet, storeOf, type TestSystem } from '../support/system.ts'
import { clientTool, outside, tool } from '../support/tools.ts'
import { testWorld } from '../support/world.ts'
import { spansOf } from './collector.ts'

const sha = (text: string, bytes: number) =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * bytes)
const named = (spans: Span[], name: string): Span => {
  const found = spans.filter(span => span.name === name)
  if (found.length !== 1)
    throw new Error(`${found.length} spans are called ${name}: ${spans.map(s => s.name)}`)
  return found[0] as Span
}
const start = Date.parse('2026-01-01T00:00:00.000Z')

t.test('a task is the run of an agent, each call of a tool a span within it', async t => {
  const slow = outside('slow', { waits: true })
  const system = await givenSystem({ tools: [slow.tool] })
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 }
  const taskId = await system.play([{ usage }, { usage }, { tool: 'slow' }, { message: 'done' }], {
    session_id: 's1',
    user_id: 'anna',
  })
  await system.world.advance(2000)
  slow.release()
  await system.world.advance(500)
  const spans = await spansOf(system.log)
  t.same(
    spans.map(({ name }) => name),
    ['execute_tool slow', 'invoke_agent script'],
  )
  const [call, run] = spans
  t.match(run, {
    traceId: sha(taskId, 16),
    spanId: sha(taskId, 8),
    kind: 'internal',
    start,
    end: start + 2000,
    failed: false,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'reprise',
      'gen_ai.agent.name': 'script',
      'gen_ai.conversation.id': 's1',
      'gen_ai.usage.input_tokens': 6,
      'gen_ai.usage.output_tokens': 8,
      'reprise.task.id': taskId,
      'reprise.user.id': 'anna',
      'reprise.task.status': 'completed',
    },
  })
  t.notOk(run && 'parentSpanId' in run)
  t.notOk(run && 'gen_ai.agent.id' in run.attributes, 'spans inside of the server have no id of an agent')
  t.match(call, {
    traceId: sha(taskId, 16),
    spanId: sha(`${taskId}/3/1`, 8),
    parentSpanId: sha(taskId, 8),
    kind: 'internal',
    start,
    end: start + 2000,
    failed: false,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'slow',
      'gen_ai.tool.call.id': /./,
      'gen_ai.tool.type': 'extension',
      'reprise.effect.id': `${taskId}/3/1`,
    },
  })
  await system.close()
})

t.test('a subagent runs within the call that made it, in the same trace, at any depth', async t => {
  const system = await givenSystem({ tools: [tool('count')] })
  const below = JSON.stringify([{ tool: 'count' }, { message: 'from the bottom' }])
  const middle = JSON.stringify([{ subagent: 'script', input: below }, { message: 'from the middle' }])
  const taskId = await system.play([
    { tools: [{ tool: 'count' }, { tool: 'agent_script', arguments: { input: middle } }] },
    { message: 'done' },
  ])
  await quiet(system)
  const spans = await spansOf(system.log)
  t.equal(spans.length, 7)
  t.same([...new Set(spans.map(({ traceId }) => traceId))], [sha(taskId, 16)])
  const runs = spans.filter(({ name }) => name === 'invoke_agent script')
  const calls = spans.filter(({ name }) => name === 'execute_tool agent_script')
  const [bottom, second, top] = runs
  const [lower, upper] = calls
  t.equal(bottom?.parentSpanId, lower?.spanId)
  t.equal(lower?.parentSpanId, second?.spanId)
  t.equal(second?.parentSpanId, upper?.spanId)
  t.equal(upper?.parentSpanId, top?.spanId)
  t.equal(upper?.spanId, sha(`${taskId}/1/2`, 8), 'the second call of two')
  t.equal(top?.parentSpanId, undefined)
  await system.close()
})

t.test('a call of a client is a span while it is waited for', async t => {
  const system = await givenSystem()
  const taskId = await system.play([{ tools: [{ tool: 'ask' }, { tool: 'ask' }] }, { message: 'done' }], {
    client_tools: [clientTool('ask')],
  })
  await quiet(system)
  for (const { call_id: callId } of system.get(taskId).metadata.pending_inputs) {
    await system.world.advance(1000)
    const answer = { callId, itemId: system.world.ids.next('tr_'), content: 'yes', blocks: [] }
    await system.commands.input(admin, taskId, 'req_input', [answer])
  }
  await quiet(system)
  const asked = (await spansOf(system.log)).filter(({ name }) => name === 'execute_tool ask')
  t.same(
    asked.map(({ start: from, end, failed }) => [from - start, end - start, failed]),
    [
      [0, 1000, false],
      [0, 2000, false],
    ],
  )
  t.equal(new Set(asked.map(({ spanId }) => spanId)).size, 2)
  for (const { attributes, parentSpanId } of asked) {
    t.equal(attributes['gen_ai.tool.type'], 'function')
    t.notOk('reprise.effect.id' in attributes)
    t.equal(parentSpanId, sha(taskId, 8))
  }
  await system.close()
})

t.test('an approved call is a span from its approval on, also below a subagent', async t => {
  const system = await givenSystem({ tools: [tool('count')] })
  const child = JSON.stringify([{ tool: 'count' }, { message: 'counted' }])
  const script = [{ subagent: 'script', input: child }, { message: 'so' }]
  const taskId = await system.create({ agent_config: { agent_id: 'script', script, approve: ['*'] } })
  for (const name of ['agent_script', 'count']) {
    await system.world.advance(1000)
    const call = system.get(taskId).input_required
    t.equal(call.name, name)
    await system.commands.decideApproval(admin, taskId, 'req', call.call_id, { decision: 'approve' })
  }
  await system.world.advance(1000)
  await quiet(system)
  const spans = await spansOf(system.log)
  t.same(spans.map(({ name }) => name).sort(), [
    'execute_tool agent_script',
    'execute_tool count',
    'invoke_agent script',
    'invoke_agent script',
  ])
  const call = named(spans, 'execute_tool agent_script')
  t.equal(call.start, start + 1000)
  t.ok(
    spans.some(({ name, parentSpanId }) => name === 'invoke_agent script' && parentSpanId === call.spanId),
    'the subagent runs within its call',
  )
  t.equal(named(spans, 'execute_tool count').start, start + 2000)
  await system.close()
})

t.test('what fails, is refused or is cut off is an error of its class, or no span at all', async t => {
  const stuck = outside('stuck', { waits: true })
  const broken = tool('broken', {
    run: async () => {
      throw new Error('the secret is 42')
    },
  })
  const system = await givenSystem({ tools: [stuck.tool, broken] })
  await system.play([
    { tools: [{ tool: 'broken' }, { tool: 'nobody' }] },
    { fail: { code: -32000, message: 'it is 42' } },
  ])
  await quiet(system)
  const failed = await spansOf(system.log)
  t.same(
    failed.map(({ name }) => name),
    ['execute_tool broken', 'invoke_agent script'],
    'a call that was refused never ran',
  )
  t.match(named(failed, 'execute_tool broken'), { failed: true, attributes: { 'error.type': 'incomplete' } })
  t.match(named(failed, 'invoke_agent script'), {
    failed: true,
    attributes: { 'error.type': '-32000', 'reprise.task.status': 'failed' },
  })
  t.notMatch(JSON.stringify(failed), /42/, 'a message may hold anything')

  const canceled = await system.play([{ tool: 'stuck' }], { session_id: 's2' })
  await system.world.advance(100)
  await system.commands.cancel(admin, canceled, 'req_cancel')
  await quiet(system)
  const after = (await spansOf(system.log)).slice(failed.length)
  t.match(named(after, 'execute_tool stuck'), { failed: true, attributes: { 'error.type': 'canceled' } })
  const run = named(after, 'invoke_agent script')
  t.match(run, { failed: false, attributes: { 'reprise.task.status': 'canceled' } })
  t.notOk('error.type' in run.attributes)

  const [first, never] = [
    await system.play([{ sleep_ms: 9000 }], { session_id: 's3' }),
    await system.create({ session_id: 's3' }),
  ]
  for (const id of [never, first]) await system.commands.cancel(admin, id, 'req_cancel')
  await quiet(system)
  t.same(
    (await spansOf(system.log))
      .slice(failed.length + after.length)
      .map(span => span.attributes['reprise.task.id']),
    [first],
    'an agent that never began has no run',
  )
  await system.close()
})

/** Tasks of many kinds, one beside the other. */
const busy = async (): Promise<TestSystem> => {
  const system = await givenSystem({ tools: [tool('count'), tool('read', { safe: true })] })
  const below = JSON.stringify([{ tool: 'count' }, { sleep_ms: 300 }, { message: 'from below' }])
  await system.play([{ message: 'one two three', delta_ms: 50 }, { tool: 'count' }, { message: 'done' }])
  await system.play([{ subagent: 'script', input: below }, { tools: [{ tool: 'read' }, { tool: 'count' }] }])
  const asks = await system.play([{ tool: 'ask' }, { message: 'so' }], { client_tools: [clientTool('ask')] })
  await system.world.advance(200)
  const { call_id: callId } = system.get(asks).input_required
  const answer = { callId, itemId: system.world.ids.next('tr_'), content: 'yes', blocks: [] }
  await system.commands.input(admin, asks, 'req_input', [answer])
  await system.world.advance(3000)
  return system
}

t.test('wherever it is broken off and begun anew, the same spans come, each with its beginning', async t => {
  const system = await busy()
  const events = await system.stored()
  const whole = await spansOf(system.log)
  t.equal(whole.length, 10)
  for (let cut = 0; cut <= events.length; cut++) {
    const before = await createTracker(system.log, false).take(events.slice(0, cut))
    const after = await createTracker(system.log, false).take(events.slice(cut))
    t.same([...before, ...after], whole, `after ${cut} events`)
  }
  await system.close()
})

t.test('more tasks than it can hold in memory are told all the same', async t => {
  const system = await busy()
  t.same(await createTracker(system.log, false, 1).take(await system.stored()), await spansOf(system.log))
  await system.close()
})

t.test('what any version has stored can be told', async t => {
  const folder = path.join(import.meta.dirname, '../histories')
  for (const file of readdirSync(folder).filter(name => name.endsWith('.ndjson'))) {
    const { rows, expected } = readHistory(readFileSync(path.join(folder, file), 'utf8'))
    const log = openLog(await storeOf(rows), { ...testWorld(), build: 'test' })
    const spans = await spansOf(log, true)
    const types = rows.map(({ header }) => (JSON.parse(header) as { type: string }).type)
    const ran = types.includes('TaskStarted') && isTerminal(expected.task.status)
    const runs = spans.filter(({ name }) => name.startsWith('invoke_agent'))
    t.equal(runs.length, ran ? 1 : 0, file)
    t.equal(runs[0]?.attributes['reprise.task.status'], ran ? expected.task.status : undefined, file)
    t.notOk(
      spans.some(({ start, end }) => start > end),
      file,
    )
    await log.close()
  }
})
