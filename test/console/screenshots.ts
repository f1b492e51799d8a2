// npm run screenshots: starts a server with some tasks, and takes pictures of the console in a real browser, for the
// documents and for people who change the console. `npm run screenshots -- FOLDER [VIEW]` takes every view, or
// one, at three widths, in light and dark.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { signedInAs } from '../browser/console-page.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { adminToken, launch } from '../support/server.ts'
import { seed } from './seed.ts'

const [folder, only] = process.argv.slice(2)
const browser = await launchBrowser()
if (browser === undefined) throw new Error(noBrowser)
const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-screenshots-'))
const server = await launch(dataDir)

/** The views with pictures in docs/console.md. */
const pictured = new Set(['home', 'past', 'question', 'proof'])

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
  await page.goto(`${server.url}${where}`)
  await page.waitForSelector('main')
  await page.waitForTimeout(700)
  await before?.(page)
  await page.screenshot({ path: path.join(into, `${name}.png`) })
  await context.close()
}

try {
  const ids = await seed(server.api)
  const views = [
    { name: 'home', path: '/ui' },
    { name: 'task', path: `/ui/tasks/${ids.tools}` },
    { name: 'past', path: `/ui/tasks/${ids.tools}?event=14` },
    { name: 'question', path: `/ui/tasks/${ids.question}` },
    { name: 'session', path: `/ui/sessions/${ids.session}` },
    { name: 'proof', path: `/ui/proof/24` },
    { name: 'failed', path: `/ui/tasks/${ids.failed}` },
  ]
  if (folder === undefined) {
    const into = path.resolve(import.meta.dirname, '../../docs/images')
    for (const view of views.filter(({ name }) => pictured.has(name)))
      await take({ ...view, name: `console-${view.name}`, width: 1280, dark: view.name === 'past' }, into)
  } else {
    mkdirSync(folder, { recursive: true })
    for (const width of [400, 1280, 2560])
      for (const dark of [false, true])
        for (const view of views.filter(({ name }) => only === undefined || name === only))
          await take(
            { ...view, name: `${view.name}-${width}-${dark ? 'dark' : 'light'}`, width, dark },
            folder,
          )
  }
} finally {
  await browser.close()
  await server.end('SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
}
