// npm run screenshots: starts a server with some tasks, and takes pictures of the console in a real browser, for the
// documents and for people who change the console. `npm run screenshots -- FOLDER [VIEW]` takes every view, or
// one, at three widths, in light and dark.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { signedInAs } from '../browser/console-page.ts'
import { forksOf } from '../http/fork-calls.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { adminToken, launch, runReprise } from '../support/server.ts'
import { movingCrash, movingSlider } from './moving.ts'
import { receive } from './receiver.ts'
import { seed } from './seed.ts'
import { seedAgents } from './seed-agents.ts'
import { seedViews } from './seed-views.ts'

const [folder, only] = process.argv.slice(2)
const browser = await launchBrowser()
if (browser === undefined) throw new Error(noBrowser)
const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-screenshots-'))
const receiver = await receive()
const agents = path.join(dataDir, 'agents')
mkdirSync(agents)
const server = await launch(dataDir, {
  ALLOW_PRIVATE_URLS: '1',
  ALLOW_UNSANDBOXED_SHELL: '1',
  AGENT_PATH: agents,
  ENV_UID_BASE: '0', // the agents run as the user who runs this
})

/** Opens the search, with something found. */
const searching = async (page: Page) => {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search' }).fill('ann')
  await page.getByRole('option', { name: 'All tasks of the user ann' }).waitFor()
}
/** Shows a part of the time that a task took. */
const lookingCloser = async (page: Page) => {
  for (const name of ['Closer', 'Later']) await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('region', { name: 'What took time' }).scrollIntoViewIfNeeded()
}

/** The views with pictures in docs/console.md. */
const pictured = new Set([
  ...['home', 'past', 'question', 'diff', 'proof', 'env', 'system', 'export'],
  ...['agents', 'machine'],
])

type Wanted = {
  name: string
  path: string
  width: number
  dark: boolean
  before?: (page: Page) => Promise<void>
}

const take = async ({ name, path: where, width, dark, before }: Wanted, into: string) => {
  const context = await browser.newContext({
    viewport: { width, height: width < 600 ? 860 : width > 2000 ? 1300 : 860 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  await context.addInitScript({ content: signedInAs(adminToken) })
  const page = await context.newPage()
  page.on('pageerror', error => console.error(`${name}: ${error.message}`))
  page.on('console', message => message.type() === 'error' && console.error(`${name}: ${message.text()}`))
  await page.goto(new URL(where, server.url).href)
  await page.waitForSelector('main')
  await page.waitForTimeout(700)
  await before?.(page)
  await page.screenshot({ path: path.join(into, `${name}.png`) })
  await context.close()
}

const images = path.resolve(import.meta.dirname, '../../docs/images')

/** Takes the pictures of the documents, or those of every width into the folder. */
const takeAll = async (views: Pick<Wanted, 'name' | 'path' | 'before'>[]) => {
  if (folder === undefined) {
    for (const view of views.filter(({ name }) => pictured.has(name)))
      await take({ ...view, name: `console-${view.name}`, width: 1280, dark: view.name === 'past' }, images)
    return
  }
  mkdirSync(folder, { recursive: true })
  for (const width of [400, 1280, 2560])
    for (const dark of [false, true])
      for (const view of views.filter(({ name }) => only === undefined || name === only))
        await take({ ...view, name: `${view.name}-${width}-${dark ? 'dark' : 'light'}`, width, dark }, folder)
}

try {
  const ids = await seed(server.api)
  const agent_config = { script: [{ message: 'I take the second offer.' }] }
  const fork = await forksOf(server.api).fork(ids.tools, { at: 14, agent_config })
  await takeAll([
    { name: 'home', path: '/ui' },
    { name: 'task', path: `/ui/tasks/${ids.tools}` },
    { name: 'past', path: `/ui/tasks/${ids.tools}?event=14` },
    { name: 'question', path: `/ui/tasks/${ids.question}` },
    { name: 'diff', path: `/ui/diff/${ids.tools}/${fork.id}?event=16` },
    { name: 'partners', path: `/ui/diff/${ids.tools}` },
    { name: 'proof', path: '/ui/proof/24' },
    { name: 'failed', path: `/ui/tasks/${ids.failed}` },
    { name: 'start', path: '/ui', before: page => page.locator('#new-task').focus() },
    { name: 'search', path: '/ui', before: searching },
    { name: 'time', path: `/ui/tasks/${ids.tools}`, before: lookingCloser },
    { name: 'markdown', path: `/ui/tasks/${ids.written}` },
  ])
  await takeAll(await seedViews(server.api, receiver.address))
  const own = await seedAgents(server.api, server.url, agents)
  await takeAll([
    { name: 'agents', path: '/ui/agents' },
    { name: 'run', path: '/ui?new=refunds' },
    { name: 'machine', path: `/ui/tasks/${own.ids.chart}` },
    { name: 'machine-past', path: `/ui/tasks/${own.ids.chart}?event=10` },
    { name: 'asking', path: `/ui/tasks/${own.ids.asking}` },
    { name: 'asleep', path: `/ui/tasks/${own.ids.asleep}` },
    { name: 'changed', path: `/ui/tasks/${own.ids.changed}` },
    { name: 'queued', path: `/ui/tasks/${own.ids.queued}` },
  ])
  await own.stop()
  const file = path.join(dataDir, 'export.html')
  await runReprise(['export', '--user', 'ann', '--html', '--out', file], { DATA_DIR: dataDir })
  const exported = pathToFileURL(file).href
  await takeAll([
    { name: 'export', path: `${exported}#/tasks/${ids.tools}?event=14` },
    { name: 'export-list', path: `${exported}#/` },
    { name: 'export-verification', path: `${exported}#/verification` },
  ])
  if (folder === undefined) {
    const slider = await movingSlider(browser, `${server.url}/ui/tasks/${ids.tools}`)
    writeFileSync(path.join(images, 'moving-slider.png'), slider)
    writeFileSync(path.join(images, 'moving-crash.png'), await movingCrash(browser))
  }
} finally {
  await browser.close()
  await server.end('SIGTERM')
  receiver.end()
  rmSync(dataDir, { recursive: true, force: true })
}
