// The views of the console beside the tasks, in a real browser: environments, conversations, cron jobs, webhooks, tokens,
// the log and the system.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import t from 'tap'
import { seedViews } from '../console/seed-views.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { serveHere } from '../support/server.ts'
import { openConsole, sees } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { url, api } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1', ALLOW_UNSANDBOXED_SHELL: '1' })
const views = skip ? [] : await seedViews(api)

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

t.test(
  'a session of an environment is created, stepped, looked at, closed and deleted',
  { skip },
  async t => {
    const { page, complaints } = await openConsole(t, browser, `${url}/ui/env`)
    await button(page, 'Create a session').click()
    await page.getByLabel('Environment').selectOption('chess')
    await page.getByLabel('Name of the session, or nothing').fill('a-game')
    await button(page, 'Create a session').click()
    await page.getByRole('img', { name: /white king e1.*/ }).waitFor()
    t.equal(page.url(), `${url}/ui/env/a-game`)
    await page.getByLabel(/^move/).fill('e4')
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: /white pawn e4/ }).waitFor()
    await page.getByLabel('Tool').selectOption('legal_moves')
    await page.getByLabel(/^square/).fill('a2')
    await page.keyboard.press('Enter')
    await sees(page, /a3 \(a2a3\)/)
    await page.locator('h1').click() // a key moves through the steps when nobody writes
    for (const _ of ['to the first step', 'to the create']) await page.keyboard.press('ArrowLeft')
    await page.getByRole('img', { name: /white pawn e2/ }).waitFor()
    t.equal(page.url(), `${url}/ui/env/a-game?event=0`)
    await page.keyboard.press('l')
    await api('POST', '/env/step', { session_id: 'a-game', tool_name: 'move', tool_args: { move: 'Nf3' } })
    await page.getByRole('img', { name: /white knight f3/ }).waitFor() // it follows the present
    await button(page, 'Close').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await button(page, 'Delete').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(`${url}/ui/env`)
    await sees(page, 'game-of-ann')
    t.equal(await page.getByText('a-game', { exact: true }).count(), 0)
    t.same(complaints, [])
  },
)

t.test('each kind of environment is drawn in its own way', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/env/maze?event=3`)
  await page.getByRole('img', { name: /Map: #######, #\.\.@A\.#/ }).waitFor()
  await page.goto(`${url}/ui/env/people?event=2`)
  await page.getByRole('cell', { name: 'name TEXT, age INTEGER' }).waitFor()
  await page.goto(`${url}/ui/env/shell`)
  await page.getByRole('group', { name: 'Terminal' }).getByText('42', { exact: true }).waitFor()
  await sees(page, 'notes.md')
  t.same(complaints, [])
})

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
type Violation = { id: string; nodes: { target: string[]; failureSummary: string }[] }

t.test('axe finds nothing, in light and dark, and no view is wider than a phone', { skip }, async t => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const viewport = { width: colorScheme === 'dark' ? 400 : 1280, height: 900 }
    const { page, complaints } = await openConsole(t, browser, `${url}/ui`, { colorScheme, viewport })
    for (const { name, path } of views) {
      await page.goto(`${url}${path}`)
      await page.locator('h1').first().waitFor()
      await page.locator('.loading').waitFor({ state: 'detached' })
      await page.evaluate(axe)
      const found = (await page.evaluate(
        'axe.run(document).then(({violations}) => violations)',
      )) as Violation[]
      const faults = found.map(({ id, nodes }) => `${id}: ${nodes[0]?.target} ${nodes[0]?.failureSummary}`)
      t.same(faults, [], `${name}, ${colorScheme}`)
      const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      t.equal(await page.evaluate(wider), 0, `${name} fits into ${viewport.width} pixels`)
    }
    t.same(complaints, [])
  }
})
