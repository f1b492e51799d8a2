// Sessions on a log that several nodes share. An append was not answered although the servers have it: this node reads it
// only when it opens the log again.
import t from 'tap'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { PackedBatch, Store } from '../../src/log/store.ts'
import { given } from '../actors/env-session/given.ts'
import { reasonOf } from '../actors/env-session/sessions.ts'
import { memorySecrets } from '../support/system.ts'

const lateStore = () => {
  const inner = memoryStore()
  let isLate = false
  const late: PackedBatch[] = []
  const store: Store = {
    ...inner,
    isShared: true,
    async write(batch) {
      if (late.length > 0) throw new Error('the record before was not stored')
      if (!isLate) return inner.write(batch)
      isLate = false
      late.push(batch)
      throw new Error('the servers have not answered')
    },
    async reopen() {
      for (const batch of late.splice(0)) await inner.write(batch)
    },
  }
  const lateNext = () => {
    isLate = true
  }
  return { store, lateNext }
}

const vars = { env_vars: { KEY: 'v' } }
for (const meanwhile of ['nothing', 'a step', 'a create'] as const) {
  for (const before of ['absent', 'closed'] as const) {
    t.test(`a session that was ${before} is created; meanwhile there is ${meanwhile}`, async t => {
      const { store, lateNext } = lateStore()
      const all = await given(t, { store, secrets: memorySecrets() })
      const create = () => reasonOf(all.create('s', 'snapshot', vars))
      const step = () => reasonOf(all.step('s', 'add', { by: 1 }))
      if (before === 'closed') {
        await create()
        await all.close('s')
      }
      lateNext()
      t.ok(await create(), 'the create is not answered')
      if (meanwhile === 'a step') await step()
      if (meanwhile === 'a create') t.equal(await create(), undefined, 'a retry is answered')
      await all.system().world.advance(2000)
      await all.restart()
      t.equal(await step(), undefined, 'the session is there')
    })
  }
}
