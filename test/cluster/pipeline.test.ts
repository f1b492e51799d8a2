// The writes of the owner, when the local log takes none.
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { createPipeline } from '../../src/cluster/replica/pipeline.ts'

const mark = { sequence: 1, valid: 1, digest: '' } as never

t.test(
  'when the local log takes no writes, the writes behind the first one fail with it, and the node goes on',
  async t => {
    const loose: unknown[] = []
    const hear = (error: unknown) => loose.push(error)
    process.on('unhandledRejection', hear)
    t.teardown(() => process.off('unhandledRejection', hear))
    const failures: unknown[] = []
    const { store, settled } = createPipeline({
      gate: ((_count: number, publish: () => unknown) => publish()) as never,
      failed: error => failures.push(error),
    })
    const full = new Error('database or disk is full')
    const behind = new Error('the batch before this one was not written')
    const first = store(
      0,
      async () => mark,
      () => Promise.reject(full),
    )
    const second = store(
      0,
      async () => mark,
      async () => {
        await setImmediate()
        throw behind
      },
    )
    await t.rejects(first, full)
    await t.rejects(second, full)
    await settled()
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    t.strictSame(failures, [full])
    t.strictSame(loose, [], 'the failure of the second write ends no process')
  },
)
