// npm run soak -- faulty-streams [streams]: random faulty streams of a model against their oracle, 2,000 unless another
// number is given.
import { playAll } from '../models/random/play.ts'

const count = Number(process.argv[2] ?? 2000)
const started = performance.now()
const problems = await playAll(count)
for (const problem of problems) console.log(`faulty-streams: ${problem}`)
const seconds = ((performance.now() - started) / 1000).toFixed(1)
console.log(`faulty-streams: ${count} streams, ${problems.length} problems, ${seconds} s`)
process.exit(problems.length === 0 ? 0 : 1)
