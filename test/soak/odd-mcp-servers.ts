// npm run soak -- odd-mcp-servers [servers]: random MCP servers against their oracle, 500 unless another number is given.
import { behaviours } from '../mcp/random/behaviours.ts'
import { playAll } from '../mcp/random/play.ts'

const count = Number(process.argv[2] ?? 500)
const first = Number(process.env.SEED ?? Date.now() % 1_000_000)
const started = performance.now()
const { problems, shown } = await playAll({
  first,
  count,
  processes: 30,
})
for (const problem of problems) console.log(`odd-mcp-servers: ${problem}`)
console.log(
  `odd-mcp-servers: ${count} servers from seed ${first}, ${shown.size} of ${behaviours.length} behaviours, ` +
    `${problems.length} problems, ${((performance.now() - started) / 1000).toFixed(1)} s`,
)
process.exit(problems.length === 0 ? 0 : 1)
