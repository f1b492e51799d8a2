// Loaded into a server under test. At SIGWINCH it collects the young objects, and appends to the file YOUNG_OBJECTS how many bytes
// the old objects take then.
import { appendFileSync } from 'node:fs'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const young = new Set(['new_space', 'new_large_object_space'])
const oldBytes = (): number =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => !young.has(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0)

if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void
  process.on('SIGWINCH', () => {
    collect({ type: 'minor' })
    appendFileSync(process.env.YOUNG_OBJECTS as string, `${oldBytes()}\n`)
  })
}
