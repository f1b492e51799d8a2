// Hosts of agents and their server are killed at random moments, as processes. SEED=n repeats a run.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { agentKills } from './kill-rounds.ts'

t.test(
  'tasks of agents come to the same end when their server and their hosts are killed',
  { skip: existsSync('/proc/self/cmdline') ? false : 'the processes of this system cannot be listed' },
  async t => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
    t.comment(`seed ${seed}`)
    const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-kills-'))
    t.teardown(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }))
    const victims = ['server', 'host', 'host'] as const
    const seen = await agentKills({ dataDir, seed, kills: 8, tasks: 4, between: 1200, victims })
    t.comment(JSON.stringify(seen))
    t.same(seen.problems, [], `seed ${seed}`)
    t.ok(seen.ended >= 4, `${seen.ended} tasks have ended`)
    t.ok(seen.frames > 0)
  },
)
