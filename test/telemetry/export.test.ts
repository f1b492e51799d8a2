// Spans on their way to a collector: over real HTTP, once at least, in order, whatever is away or dies meanwhile.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import type { Span } from '../../src/telemetry/spans.ts'
import { crashed, givenSystem, quiet } from '../support/system.ts'
import { outside, tool } from '../support/tools.ts'
import { collector, follow, spansOf } from './collector.ts'
import type { ExportedSpan } from './otlp.ts'

const asExported = ({ kind, failed, parentSpanId = '', ...span }: Span): Omit<ExportedSpan, 'resource'> => ({
  ...span,
  parentSpanId,
  kind: kind === 'client' ? 3 : 1,
  status: failed ? 2 : 0,
})
const withoutResource = (spans: ExportedSpan[]) => spans.map(({ resource: _, ...span }) => span)
/** The first of each. */
const once = (spans: ExportedSpan[]) =>
  [...new Map(spans.toReversed().map(span => [span.spanId, span])).values()].toReversed()
const positionIn = (file: string): number =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { position: number }).position : -1
const reached = async (file: string, position: number): Promise<void> => {
  while (positionIn(file) < position) await new Promise(resolve => setTimeout(resolve, 5))
}

t.test(
  'the collector gets the spans of a task as the log tells them, named by the standard variables',
  async t => {
    const { url, requests, spans, until } = await collector(t)
    const system = await givenSystem({ tools: [tool('count')] })
    const file = path.join(t.testdir({}), 'otel.json')
    const env = {
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20t0ken,x-team=blue',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    }
    const telemetry = follow(t, { log: system.log, file, url, env })
    await system.play([{ tool: 'count' }, { fail: { code: -32000, message: 'no' } }])
    await quiet(system)
    await until(() => spans.length >= 2)
    t.same(withoutResource(spans), (await spansOf(system.log)).map(asExported))
    t.equal(requests[0]?.url, '/v1/traces')
    t.match(requests[0]?.headers, {
      authorization: 'Bearer t0ken',
      'x-team': 'blue',
      'content-type': 'application/x-protobuf',
    })
    t.match(spans[0]?.resource, {
      'service.name': 'reprise',
      'service.version': /^\d/,
      'deployment.environment.name': 'test',
    })
    await reached(file, system.log.head())
    t.notMatch(readFileSync(file, 'utf8') + telemetry.lines.join(), /t0ken/)
    t.same(telemetry.lines, [])
    await telemetry.stop()
    await system.close()
  },
)

t.test('what ran before anybody asked is not exported, what ends later is', async t => {
  const { url, spans, until } = await collector(t)
  const slow = outside('slow', { waits: true })
  const system = await givenSystem({ tools: [slow.tool] })
  await system.create({})
  const taskId = await system.play([{ tool: 'slow' }])
  await system.world.advance(1000)
  const telemetry = follow(t, { log: system.log, file: path.join(t.testdir({}), 'otel.json'), url })
  slow.release()
  await quiet(system)
  await until(() => spans.length >= 2)
  t.same(
    spans.map(({ name, attributes }) => [name, attributes['reprise.task.id']]),
    [
      ['execute_tool slow', taskId],
      ['invoke_agent script', taskId],
    ],
  )
  t.equal((spans[1]?.end ?? 0) - (spans[1]?.start ?? 0), 1000)
  await telemetry.stop()
  await system.close()
})

t.test('while the collector is away tasks go on, and when it is back nothing is missing', async t => {
  const { url, spans, until, close, back } = await collector(t)
  const system = await givenSystem({ tools: [tool('count')] })
  const file = path.join(t.testdir({}), 'otel.json')
  const telemetry = follow(t, { log: system.log, file, url })
  await reached(file, 0)
  await close()
  const taskIds: string[] = []
  for (let n = 0; n < 5; n++) {
    taskIds.push(await system.play([{ tool: 'count' }, { message: 'done' }]))
    await quiet(system)
  }
  while (telemetry.lines.length === 0 || telemetry.waits.length < 4)
    await new Promise(resolve => setTimeout(resolve, 5))
  for (const taskId of taskIds) t.equal(system.get(taskId).status, 'completed')
  t.match(telemetry.lines, [
    /^spans cannot be exported at the moment, and will be exported later: .*ECONNREFUSED/,
  ])
  const firstEnd = (await system.stored()).find(({ header }) => header.type === 'EffectCompleted')
  t.ok(positionIn(file) < (firstEnd?.position ?? 0), 'the checkpoint stays before the end of the first span')
  await back()
  await until(() => once(spans).length === 10)
  t.same(withoutResource(once(spans)), (await spansOf(system.log)).map(asExported))
  await reached(file, system.log.head())
  t.match(telemetry.lines, [/^spans cannot be exported/, 'spans are exported again'], 'one line each')
  await telemetry.stop()
  await system.close()
})

t.test('it waits ever longer, a minute at most', async t => {
  let down = true
  const { url, requests, until } = await collector(t, () => (down ? 401 : 200))
  const system = await givenSystem()
  const file = path.join(t.testdir({}), 'otel.json')
  const telemetry = follow(t, { log: system.log, file, url })
  await system.create({})
  await until(() => requests.length === 8)
  down = false
  await reached(file, system.log.head())
  const waits = telemetry.waits.filter(ms => ms > 1000)
  t.same(waits, [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  t.match(telemetry.lines, [/answered 401$/, 'spans are exported again'])
  await telemetry.stop()
  await system.close()
})

t.test('spans that the collector can never take are given up one by one, the others are not', async t => {
  const bad = (spans: ExportedSpan[]) => spans.some(({ name }) => name === 'execute_tool bad')
  const { url, spans, until } = await collector(t, sent => (bad(sent) ? 400 : 200))
  const system = await givenSystem({ tools: [tool('good'), tool('bad')] })
  const file = path.join(t.testdir({}), 'otel.json')
  const telemetry = follow(t, { log: system.log, file, url })
  await system.play([{ tools: [{ tool: 'good' }, { tool: 'bad' }, { tool: 'good' }] }, { message: 'done' }])
  await quiet(system)
  await until(() => spans.length >= 3)
  t.same(
    spans.map(({ name }) => name),
    ['execute_tool good', 'execute_tool good', 'invoke_agent script'],
  )
  await reached(file, system.log.head())
  t.same(telemetry.lines, ['a span is lost, because the collector refused it: the collector answered 400'])
  await telemetry.stop()
  await system.close()
})

t.test(
  'after a crash in the middle of a task it goes on where it was: the same ids, nothing lost',
  async t => {
    const { url, spans, until } = await collector(t)
    const folder = t.testdir({})
    const file = path.join(folder, 'otel.json')
    const store = () => sqliteStore(path.join(folder, 'log.db'), () => 'log_test')
    const slow = outside('slow', { waits: true, safe: true })
    const first = await givenSystem({ store: store(), tools: [tool('count'), slow.tool] })
    const before = follow(t, { log: first.log, file, url })
    const below = JSON.stringify([{ tool: 'slow' }, { message: 'from below' }])
    await first.play([{ tool: 'count' }, { subagent: 'script', input: below }, { message: 'done' }])
    while (slow.happened.length === 0) await first.world.advance(10)
    await until(() => spans.length > 0)
    await reached(file, first.log.head())
    t.equal(spans.length, 1, 'one call has ended')
    await before.stop()
    await first.close()

    slow.release()
    const second = await givenSystem({ ...first.options, store: store() })
    await second.world.advance(100)
    await quiet(second)
    const after = follow(t, { log: second.log, file, url })
    await until(() => spans.length >= 5)
    t.same(withoutResource(spans), (await spansOf(second.log)).map(asExported))
    await after.stop()
    await second.close()
  },
)

t.test('when it dies before it could note what it has sent, that is sent again, the same', async t => {
  const { url, spans, until } = await collector(t)
  const system = await givenSystem({ tools: [tool('count')] })
  const file = path.join(t.testdir({}), 'otel.json')
  const before = follow(t, { log: system.log, file, url })
  await reached(file, 0)
  const noted = readFileSync(file)
  await system.play([{ tool: 'count' }, { message: 'done' }])
  await quiet(system)
  // On a busy machine the collector may answer too late, and is then sent a span more than once.
  await until(() => once(spans).length === 2)
  await before.stop()
  writeFileSync(file, noted)
  const first = once(spans.splice(0))
  const after = follow(t, { log: system.log, file, url })
  await until(() => once(spans).length === 2)
  t.same(once(spans), first)
  await after.stop()
  await system.close()
})

t.test('a checkpoint of another log is not gone on from', async t => {
  const { url, spans, until } = await collector(t)
  const file = path.join(t.testdir({}), 'otel.json')
  const first = await givenSystem()
  const before = follow(t, { log: first.log, file, url })
  await first.create({})
  await reached(file, first.log.head())
  await before.stop()
  for (const saved of [readFileSync(file, 'utf8').replace(/"leaf":"./, '"leaf":"!'), '', '{}']) {
    writeFileSync(file, saved)
    const seen = spans.length
    const system = await crashed(first)
    const after = follow(t, { log: system.log, file, url })
    t.match(after.lines, [/does not belong to this log: the export of spans begins at the end of the log$/])
    const taskId = await system.create({})
    await until(() => spans.length > seen)
    t.equal(spans.at(-1)?.attributes['reprise.task.id'], taskId)
    await after.stop()
    await system.close()
  }
})

t.test('a server that stops exports what is there, and does not wait for a collector that hangs', async t => {
  const { url, spans } = await collector(t)
  const system = await givenSystem()
  const file = path.join(t.testdir({}), 'otel.json')
  // Slow enough that a busy machine, too, has done it when the server waits no longer.
  const telemetry = follow(t, { log: system.log, file, url, speed: 0.05 })
  await reached(file, 0)
  const task = await system.create({})
  while (system.get(task).status !== 'completed') await quiet(system)
  await telemetry.stop()
  t.equal(spans.length, 1)
  t.equal(positionIn(file), system.log.head())

  const deaf = await collector(t, () => new Promise<number>(() => {}))
  const hanging = follow(t, { log: system.log, file, url: deaf.url })
  await system.create({})
  await deaf.until(() => deaf.requests.length === 1)
  const exported = positionIn(file)
  await hanging.stop()
  await system.close()
  t.equal(positionIn(file), exported, 'it comes after the next start')
})
