// npm run soak -- bad-starts [starts]: random bad starts, 200 unless another number is given, each followed by a good one.
import { playBadStarts } from '../server/bad-starts/play.ts'

const count = Number(process.argv[2] ?? 200)
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const problems = await playBadStarts(seed, count, line => console.log(`bad-starts: ${line}`))
console.log(`bad-starts: ${count} bad starts from seed ${seed}, ${problems.length} problems`)
process.exit(problems.length === 0 ? 0 : 1)
