// The thread that walks through folders ends when it is idle, and a walk that comes at that moment gets its answer.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { createWalker } from '../../src/fairness/disk/walker.ts'

t.test('a folder is walked also at the moment when the idle thread is ended', async t => {
  const folder = t.testdir()
  writeFileSync(path.join(folder, 'file'), 'x'.repeat(10_000))
  const job = { folders: [folder], startedAt: 0, enough: Number.POSITIVE_INFINITY }
  let endIdle = () => {}
  const walker = createWalker({
    after(_ms, end) {
      endIdle = end
      return () => {}
    },
  })
  const alive = setInterval(() => {}, 1000) // the thread alone does not keep this process alive
  t.teardown(() => clearInterval(alive))
  const bytes = await walker.walk(job)
  t.ok(bytes >= 10_000)
  endIdle()
  t.equal(await walker.walk(job), bytes)
  await walker.close()
})
