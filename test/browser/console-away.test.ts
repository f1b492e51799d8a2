// The console while the server is away, in a real browser: it says so, nothing can be pressed that needs the server, and
// every view goes on by itself. And what the console says of things that are not there.
import type { Page } from 'playwright-core'
import t from 'tap'
import { receive } from '../console/receiver.ts'
import { seedViews } from '../console/seed-views.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { serveHere, spawnServer } from '../support/server.ts'
import { openConsole, sees } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const banner = (page: Page) => page.getByText('The server cannot be reached.')
const goTo = (page: Page, path: string) =>
  page.evaluate(
    `{ history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate")) }`,
  )

t.test('views opened while the server is killed go on when it has started again', { skip }, async t => {
  const dataDir = t.testdir()
  const first = await spawnServer(t, dataDir)
  const PORT = new URL(first.url).port
  const task = { user_message_content: 'Water!', client_id: 'echo' }
  await read(first.api('POST', '/cron/jobs', { name: 'Water the plants', every_seconds: 900, task }))
  await read(first.api('POST', '/webhooks', { url: 'https://receiver.example/in' }))
  const { page, complaints } = await openConsole(t, browser, `${first.url}/ui/cron`)
  await link(page, 'Water the plants').click()
  await button(page, 'Run now').waitFor()
  t.ok(await button(page, 'Run now').isEnabled())

  await first.end('SIGKILL')
  await banner(page).waitFor()
  await page.locator('.connection', { hasText: 'Connection lost, trying again' }).waitFor()
  t.ok(await page.getByRole('heading', { name: 'Water the plants' }).isVisible(), 'what was read stays')
  for (const name of ['Run now', 'Pause']) t.ok(await button(page, name).isDisabled(), `${name} is off`)
  await link(page, 'Cron jobs').first().click()
  await sees(page, 'The list of cron jobs is shown when the server is back.')
  await button(page, 'Create a cron job').click()
  t.ok(await page.locator('form button.primary').isDisabled(), 'a form can be written, but not sent')
  await link(page, 'Webhooks').click() // its code was never loaded
  await sees(page, 'Loading the view')
  t.equal(await page.locator('.failure').count(), 0)

  const second = await spawnServer(t, dataDir, { PORT })
  await link(page, 'https://receiver.example/in').waitFor()
  await banner(page).waitFor({ state: 'detached' })
  await page.locator('.connection.is-live').waitFor()
  await link(page, 'https://receiver.example/in').click()
  t.ok(await button(page, 'Send a test').isEnabled())
  t.equal(await button(page, 'Load this page again').count(), 0)
  t.same(complaints, [])
  await second.end('SIGTERM')
})

t.test('every view waits for the server, has a title, and says what it does not find', { skip }, async t => {
  const { url, api } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1', ALLOW_UNSANDBOXED_SHELL: '1' })
  const receiver = await receive()
  t.teardown(receiver.end)
  const views = skip ? [] : await seedViews(api, receiver.address)
  const { page, context, complaints } = await openConsole(t, browser, `${url}/ui`)
  const shown = views.filter(({ name }) => !/-(new|edit)$/.test(name))
  const titles = new Map<string, string>()

  for (const { name, path } of shown) {
    await goTo(page, '/ui/nowhere')
    await context.setOffline(true)
    await goTo(page, path)
    await banner(page).waitFor()
    t.equal(await page.locator('.failure, .problem').count(), 0, `${name} shows nothing in red`)
    await context.setOffline(false)
    await banner(page).waitFor({ state: 'detached' })
    await page.locator('main h1').first().waitFor()
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    t.equal(await page.locator('.failure, .empty').count(), 0, `${name} goes on by itself`)
    const title = await page.title()
    t.match(title, /. · Reprise$/, `${name} has a title`)
    t.notOk(titles.has(title), `${title} is the title of ${name} alone`)
    titles.set(title, name)
  }

  for (const path of [
    '/tasks/task_no',
    '/diff/task_no',
    '/diff/task_no/task_none',
    '/proof/99999999',
    '/env/no',
    '/chats/task_no',
    '/cron/job_no',
    '/webhooks/wh_no',
    '/audit/task-no',
    '/nowhere',
  ]) {
    await goTo(page, `/ui${path}`)
    await until(async () => /^(Not found|There is no such .+) · Reprise$/.test(await page.title()))
    await page.locator('main', { hasText: /Not found|There is no such/ }).waitFor()
    t.equal(await page.locator('.failure, .connection.is-refused').count(), 0, `${path} is no failure`)
  }
  t.same(complaints, [])
})
