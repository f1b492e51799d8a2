// A relay with very many events to send shares the event loop with requests.
import { performance } from 'node:perf_hooks'
import t from 'tap'
import { createBell } from '../../src/bus/bell.ts'
import { createRelayCheckpoint } from '../../src/bus/nats/relay-checkpoint.ts'
import { createRelayReports } from '../../src/bus/nats/relay-reports.ts'
import { createSender } from '../../src/bus/nats/relay-sender.ts'
import { openLog } from '../../src/log/log.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { build } from '../../src/platform/version.ts'
import { realWorld } from '../../src/platform/world.ts'

const count = 20
/** Processor time of a message: more than a slice may have. */
const messageMs = 4

const work = (ms: number): void => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

t.test('other work gets its turn of the event loop between the messages of a backlog', async t => {
  const { timers, clock, random } = realWorld()
  const log = openLog(memoryStore(), { clock, random, build })
  const events = Array.from({ length: count }, (_, seq) => {
    return { type: 'TaskDeleted', data: { by: 'x' }, schema_version: 1, seq, frames: 1 }
  })
  const ids = { principal: 'admin', owner: 'anna', session_id: 's', correlation_id: 'c', causation_id: 'r' }
  await log.append([{ stream: 'task-t', expectedRevision: -1, ...ids, events }])
  const report = () => {}
  const bell = createBell(timers)
  let isOver = false
  const sender = createSender({
    log,
    bell,
    checkpoint: createRelayCheckpoint(log, '/nowhere', report),
    reports: createRelayReports(report, () => 0),
    isOver: () => isOver,
  })
  let sent = 0
  const outlet = {
    send() {
      work(messageMs)
      sent++
    },
    close() {},
  }
  const done = sender.follow({ outlet, from: 0, maxMessage: 1_000_000, isStored: true })
  let most = 0
  for (let before = 0; sent < count; before = sent) {
    await new Promise(resolve => setImmediate(resolve))
    most = Math.max(most, sent - before)
  }
  isOver = true
  bell.ring()
  await done
  t.equal(sent, count)
  t.ok(most <= 2, `at most two messages are sent in a turn, and not ${most}`)
})
