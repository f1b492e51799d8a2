// node test/soak/http-fuzz.ts [seconds]: random requests against a server of its own, seed by seed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/start/server.ts'
import { fuzz } from '../http/fuzz.ts'
import { fuzzOperations } from '../http/fuzz-operations.ts'

const seconds = Number(process.argv[2] ?? 300)
const first = Number(process.env.SEED ?? Date.now() % 1_000_000)
const token = 'soak'
const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-fuzz-'))
const reported: unknown[] = []
const server = await startServer(
  readConfig({
    PORT: '0',
    ADMIN_TOKEN: token,
    DATA_DIR: dataDir,
    DRAIN_SECONDS: '1',
    QUOTA_CRON_JOBS: '20',
    MAX_SESSIONS: '20',
  }),
  (level, message, fields) => {
    if (level === 'error') reported.push({ message, fields })
  },
)
let seed = first
for (const end = Date.now() + seconds * 1000; Date.now() < end; seed++) {
  const tasks = await fuzz(server.url, token, seed, 1000)
  const all = await fuzzOperations(server.url, token, seed, 1000)
  const wrong = [...tasks.wrong, ...all.wrong]
  const megabytes = Math.round(process.memoryUsage().rss / 2 ** 20)
  console.log(
    `SEED=${seed} ${JSON.stringify(tasks.statuses)} ${JSON.stringify(all.statuses)} ${megabytes} MB`,
  )
  if (wrong.length > 0 || reported.length > 0) {
    console.error(JSON.stringify({ wrong: wrong.slice(0, 5), reported: reported.slice(0, 5) }, null, 2))
    process.exitCode = 1
    break
  }
}
await server.stop()
rmSync(dataDir, { recursive: true, force: true })
process.exit()
