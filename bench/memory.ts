import { newFolder } from './support/folder.ts'
import { load } from './support/load.ts'
import { residentOf } from './support/process-use.ts'
import { type Server, startOneInsert, startOurs } from './support/server.ts'
import { short } from './support/stats.ts'

export const about = 'resident memory while the server runs 50,000 echo tasks (no target)'

const steps = 5
const tasksAStep = 10_000

const measure = async (name: string, server: Server): Promise<number> => {
  const seen = [residentOf(server.pid) ?? Number.NaN]
  for (let step = 0; step < steps; step++) {
    await load(server, { clients: 32, amount: tasksAStep })
    seen.push(residentOf(server.pid) ?? Number.NaN)
  }
  await server.stop()
  console.log(`  ${name.padEnd(10)}${seen.map(short).join(' -> ')} MiB, after each ${tasksAStep} requests`)
  return (seen.at(-1) ?? Number.NaN) / (seen[0] ?? Number.NaN)
}

export const run = async (): Promise<void> => {
  console.log('\nresident memory')
  const baseline = await measure('baseline', await startOneInsert(newFolder('baseline')))
  const ours = await measure('ours', await startOurs(newFolder('ours')))
  console.log(`  grown     ${short(ours)} times, baseline ${short(baseline)} times (informative)`)
}
