import t from 'tap'
import { spawnServer } from '../support/server.ts'
import { framesOf, play, sleep, untilStatus } from './wire.ts'

t.test(
  'a paused task whose time ran out while no server ran has expired soon after the next start',
  async t => {
    const dataDir = t.testdir()
    const server = await spawnServer(t, dataDir, { TASK_TTL_PAUSED: '1' })
    const { id } = await play(server.api, [{ message: 'so far' }, { pause: 'tea' }, { message: 'never' }])
    const paused = await untilStatus(server.api, id, 'paused')
    t.match(paused.metadata, { reason: 'tea', expires_at: Number })
    await server.end('SIGKILL')
    await sleep(2000)

    // The deadline was stored with the move: what the next start is told counts for later moves only.
    const next = await spawnServer(t, dataDir, { TASK_TTL_PAUSED: '0' })
    const { metadata, output } = await untilStatus(next.api, id, 'expired', 1000)
    t.equal(metadata?.expires_at, undefined)
    t.equal(output.length, 1)
    t.match((await framesOf(next.api, id)).at(-1), { type: 'task.expired' })

    const { id: patient } = await play(next.api, [{ pause: 'for ever' }])
    const waits = await untilStatus(next.api, patient, 'paused')
    t.equal(waits.metadata?.expires_at, undefined)
  },
)
