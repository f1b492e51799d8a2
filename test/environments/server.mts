// A service with instances that never yield, and one that has started others: says so when all run, and stays. Started
// by process.test.ts.
import path from 'node:path'
import { createEnvironments } from '../../src/environments/environments.ts'
import { openChildren } from '../../src/platform/children/children.ts'
import { createMemoryWatch } from '../../src/platform/programs/memory-watch.ts'
import { realWorld } from '../../src/platform/world.ts'

const folder = process.argv[2] ?? ''
const { timers } = realWorld()
const children = await openChildren(path.join(folder, 'children'))
const environments = createEnvironments(
  { children, timers, memory: createMemoryWatch(timers) },
  { path: import.meta.dirname, byDefault: '', stepTimeoutMs: 60_000, memoryMb: 512 },
)
const running = (
  [
    ['good/counter#Counter', {}],
    ['hostile/spin', {}],
    ['hostile/hostile.py#Hostile', { how: 'spin' }],
    ['hostile/children', { how: 'stays' }],
  ] as const
).map(async ([name, args], index) => {
  const found = await environments.resolve(undefined, name)
  if ('refused' in found) throw new Error(found.message)
  const dir = path.join(folder, `instance-${index}`)
  const instance = await environments.open(found.source, { kwargs: {}, env_vars: {}, dir })
  const { signal } = new AbortController()
  const step = instance.step({ tool: 'go', args, seed: 1, number: 1, now: 1 }, { emit: () => {}, signal })
  if (name === 'hostile/children') await step
})
await Promise.all(running)
console.log('all run')
setInterval(() => {}, 1000)
