// The search over everything in a real browser: it opens anywhere with a key, and finds tasks by id, user, session and text,
// also those that no list has loaded.
import type { Page } from 'playwright-core'
import t from 'tap'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { faultsOf, openConsole, sees, tooWide } from './console-page.ts'
import { tokenOf } from './tabs.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { url, api } = await serveHere(t)

const make = async (message: string, more: object = {}): Promise<string> => {
  const body = { user_message_content: message, stream: false, client_id: 'echo', user_id: 'ann', ...more }
  return (await read(api('POST', '/tasks', body))).body.result.id
}
const oldest = skip ? '' : await make('Paint the oldest fence', { session_id: 'fences', user_id: 'olga' })
if (!skip) for (let n = 0; n < 620; n++) await make(`Task ${n}`)
if (!skip) await make('Water the Roses', { user_id: 'bob' })

const field = (page: Page) => page.getByRole('combobox', { name: 'Search' })
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
const search = async (page: Page, text: string) => {
  await page.getByRole('button', { name: 'Search', exact: true }).waitFor()
  await page.keyboard.press('Control+k')
  await field(page).fill(text)
}

t.test('a key opens the search in every view, also while somebody writes', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
  await page.locator('#new-task').click()
  await page.keyboard.press('Control+k')
  await page.locator('[role=combobox]:focus').waitFor()
  await page.keyboard.press('Escape')
  await field(page).waitFor({ state: 'detached' })
  for (const path of ['/cron', `/tasks/${oldest}`, '/nothing']) {
    await page.goto(`${url}/ui${path}`)
    await page.locator('main').waitFor()
    await page.keyboard.press('Meta+k')
    await field(page).waitFor()
    await page.keyboard.press('Meta+k')
    await field(page).waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await field(page).fill('webh')
  await option(page, 'Webhooks').click()
  await page.locator('h1', { hasText: 'Webhooks' }).waitFor()
  t.equal(await field(page).count(), 0)
  t.same(complaints, [])
})

t.test(
  'tasks are found by a part of their id, by their user and by their session, however old they are',
  { skip },
  async t => {
    const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
    const isOldest = async () => {
      await page.locator('.task-head', { hasText: 'Paint the oldest fence' }).waitFor()
      t.ok(page.url().endsWith(oldest))
      await page.goto(`${url}/ui`)
      await page.locator('table.tasks').waitFor()
    }
    await search(page, oldest.slice(-20).toUpperCase())
    await option(page, oldest).waitFor()
    await until(async () => (await option(page, oldest).getAttribute('aria-selected')) === 'true')
    await page.keyboard.press('Enter')
    await isOldest()
    await search(page, 'olga')
    await option(page, /Paint the oldest fence/).click()
    await isOldest()
    await search(page, 'fences')
    await option(page, /Paint the oldest fence/).click()
    await isOldest()
    await search(page, 'olga')
    await option(page, 'All tasks of the user olga').click()
    await until(async () => (await page.locator('table.tasks tbody tr').count()) === 1)
    await search(page, 'fences')
    await option(page, /The conversation fences/).click()
    await page.locator('.turn', { hasText: 'Paint the oldest fence' }).waitFor()
    t.same(complaints, [])
  },
)

t.test('texts are looked for in the newest tasks, and the search says in how many', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/system`)
  await search(page, 'the roses')
  await option(page, /Water the Roses/).waitFor()
  await sees(page, 'Texts: in the newest 500 tasks. Ids, users and sessions: in all tasks.')
  await field(page).fill('oldest fence')
  await sees(page, 'Failed tasks whose error has “oldest fence”')
  t.equal(await option(page, /Paint/).count(), 0)
  await page.getByRole('button', { name: 'Search 500 older ones' }).click()
  await option(page, /Paint the oldest fence/).waitFor()
  await sees(page, 'Texts: in all 622 tasks.')
  await field(page).fill('Task 1')
  await field(page).press('ArrowDown')
  await field(page).press('ArrowDown')
  await field(page).press('ArrowUp')
  t.equal(await page.locator('[role=option][aria-selected=true]').count(), 1)
  const second = page.getByRole('option').nth(1)
  t.equal(await second.getAttribute('aria-selected'), 'true')
  t.equal(await field(page).getAttribute('aria-activedescendant'), await second.getAttribute('id'))
  for (const width of [400, 2560, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    t.equal(await tooWide(page), 0)
    t.same(await faultsOf(page), [])
  }
  await field(page).fill('qqqqq<b>')
  await sees(page, 'Failed tasks whose error has “qqqqq<b>”')
  await field(page).press('Enter')
  await sees(page, 'No task fits these filters')
  t.equal(new URL(page.url()).searchParams.get('error'), 'qqqqq<b>')
  t.same(complaints, [])
})

t.test('a user finds only their own tasks', { skip }, async t => {
  const { token } = await tokenOf(api, 'user', 'bob')
  const { page, complaints } = await openConsole(t, browser, `${url}/ui`, { token })
  await search(page, 'roses')
  await option(page, /Water the Roses/).waitFor()
  for (const text of [oldest, 'olga', 'fences', 'Paint']) {
    await field(page).fill(text)
    await page.getByRole('option', { name: `Failed tasks whose error has “${text}”` }).waitFor()
    await page.waitForTimeout(500)
    t.equal(await page.locator('.hit').count(), 1, text)
  }
  t.same(complaints, [])
})
