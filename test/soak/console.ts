// The console under load, in a real browser: a list of 10,000 tasks, its first load, a task with 100,000 events, whose slider
// is dragged, and a list into which a thousand tasks a second come. It measures frames and memory of the page, and prints them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { launch } from '../support/server.ts'
import { firstLoad } from './console/first-load.ts'
import { longList } from './console/long-list.ts'
import { longTask } from './console/long-task.ts'
import { manyTasks } from './console/many-tasks.ts'

const events = Number(process.argv[2] ?? 100_000)

const browser = await launchBrowser(['--enable-precise-memory-info'])
if (browser === undefined) throw new Error(noBrowser)
const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-soak-'))
const server = await launch(dataDir, { QUOTA_TASKS: '0' })
const soak = { browser, server }

try {
  await longList(soak, 10_000)
  await firstLoad(soak)
  await longTask(soak, Math.min(10_000, events))
  if (events > 10_000) await longTask(soak, events)
  await manyTasks(soak)
} finally {
  await browser.close()
  await server.end('SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
}
