// node --import tsx test/soak/random-commands.ts [first seed] [runs] [disks]
import { simulate } from '../actors/simulation.ts'

const first = Number(process.argv[2] ?? process.env.SEED ?? Date.now() % 1_000_000)
const runs = Number(process.argv[3] ?? 10_000)
let events = 0
const disks = process.argv[4] === 'disks'
console.log(`${runs} random histories from seed ${first}`)
for (let seed = first; seed < first + runs; seed++) {
  try {
    events += (await simulate(seed, { disks })).length
  } catch (error) {
    console.log(`seed ${seed} failed`)
    throw error
  }
  if ((seed - first + 1) % 1000 === 0) console.log(`${seed - first + 1} histories, ${events} events`)
}
