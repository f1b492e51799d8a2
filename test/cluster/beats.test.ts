// What a node knows of the lease while the NATS servers answer late.
import t from 'tap'
import { bytesOf } from '../../src/cluster/beat.ts'
import { createBeats } from '../../src/cluster/beats.ts'
import { createMemoryServers } from '../../src/cluster/memory-log.ts'
import type { LeaseState } from '../../src/cluster/seen-beats.ts'
import { type SharedLog, Unknown } from '../../src/cluster/shared-log.ts'
import { realWorld } from '../../src/platform/world.ts'
import { until } from './support.ts'

t.test('a beat whose answer is lost does not count once another node has the lease', async t => {
  const servers = createMemoryServers()
  const other = servers.open()
  const mine = servers.open()
  const told: LeaseState[] = []
  const answers: boolean[] = []
  const { timers } = realWorld()
  /** The other node takes the lease while the beat of this one is under way, and the answer is lost. */
  const append: SharedLog['append'] = async expected => {
    await other.append(expected, bytesOf({ node: 'b', url: 'http://b', run: 'run-b', sent: 0 }))
    await until(() => told.at(-1) === 'theirs')
    throw new Unknown('no answer')
  }
  const beats = createBeats({
    log: { ...mine, append },
    ...{ node: { name: 'a', url: 'http://a' }, run: 'run-a', beatMs: 20, leaseMs: 60_000, timers },
    now: () => performance.now(),
    holds: () => {},
    // As the thread does it.
    tell({ state }) {
      told.push(state)
      if (state === 'theirs') answers.push(true)
    },
    answered: isAnswered => answers.push(isAnswered),
  })
  beats.want(true)
  const alive = setInterval(() => {}, 100)
  await until(() => answers.length >= 2)
  clearInterval(alive)
  t.equal(answers.at(-1), true, 'the servers have stored a beat since')
  await beats.stop()
  await mine.close()
  await other.close()
})
