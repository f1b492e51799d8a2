// node test/soak/random-commands.ts [first seed] [runs] [disks]
import { byStream, simulate } from '../actors/simulation.ts'
import { mustTellRightly } from '../history/public-lawful.ts'

const first = Number(process.argv[2] ?? process.env.SEED ?? Date.now() % 1_000_000)
const runs = Number(process.argv[3] ?? 10_000)
let events = 0
const disks = process.argv[4] === 'disks'
console.log(`${runs} random histories from seed ${first}`)
for (let seed = first; seed < first + runs; seed++) {
  try {
    const history = await simulate(seed, { disks })
    events += history.length
    for (const [stream, own] of byStream(history)) if (stream.startsWith('task-')) mustTellRightly(own)
  } catch (error) {
    console.log(`seed ${seed} failed`)
    throw error
  }
  if ((seed - first + 1) % 1000 === 0) console.log(`${seed - first + 1} histories, ${events} events`)
}
