// Two hundred starts with bad surroundings, each followed by a good one that must find everything. Takes root, which
// alone can mount the small disk. SEED=n repeats a run, ROUNDS=n shortens it.
import { badStarts } from '../server/bad-starts.ts'
import { noMount, smallDisk } from '../support/small-disk.ts'
import { randomOf } from '../support/world.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.ROUNDS ?? 200)
console.log(`bad-starts: seed ${seed}, ${rounds} bad starts`)

const unmounts: (() => unknown)[] = []
const disk = smallDisk({ teardown: handler => void unmounts.push(handler) }, 96)
if (disk === undefined) {
  console.log(`bad-starts: ${noMount}`)
  process.exit(1)
}
const onRound = (round: number, problem?: string) => {
  if (problem !== undefined) console.log(`bad-starts: ${problem}`)
  if (round % 20 === 19) console.log(`bad-starts: ${round + 1} bad starts`)
}
const { problems, seen } = await badStarts({ disk, rounds, random: randomOf(seed), onRound })
for (const unmount of unmounts) unmount()
console.log(`bad-starts: ${JSON.stringify(seen)}`)
process.exit(problems.length === 0 ? 0 : 1)
