// A service with two hosts, one of which never yields: names their processes when they run, and stays. Started by
// files.test.ts.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { until } from '../../support/http.ts'
import { openHosts } from './hosts.ts'
import { fakeTask } from './task.ts'

const top = process.argv[2] ?? ''
const hosts = await openHosts(top, { 'one.mjs': {}, 'two.mjs': {} }, { stallMs: 60_000 })
const waits = fakeTask(hosts.agents, { agent: 'one' })
const spins = fakeTask(hosts.agents, { agent: 'two', text: 'freeze' })
await until(() => waits.entries.length === 1 && spins.versions.length === 1)
console.log(readdirSync(path.join(top, 'children')).join(' '))
process.once('SIGTERM', async () => {
  await hosts.close()
  await hosts.children.close()
  process.exit(0)
})
setInterval(() => {}, 1000)
