// Connections of the console that break, in a real browser: the server restarts, the browser sleeps, a proxy lets no WebSocket
// pass. Afterwards each tab is live again, and has missed nothing.
import type { BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { freePort } from '../../src/platform/free-port.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { serveHere, spawnServer } from '../support/server.ts'
import { openConsole, sees } from './console-page.ts'
import { allSee, forgetfulProxy, lists, openTabs, say, states } from './tabs.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false

t.test(
  'after a restart of the server all tabs are live again, and have missed nothing',
  { skip },
  async t => {
    const dataDir = t.testdir()
    const PORT = String(await freePort())
    const before = await spawnServer(t, dataDir, { PORT })
    const { pages } = await openTabs(t, browser, before.url, lists)
    await allSee(pages, 'Live')
    await before.end('SIGKILL')
    await allSee(pages, 'Connection lost, trying again')
    const { api } = await spawnServer(t, dataDir, { PORT })
    await say(api, 'Made before anybody was there again')
    await allSee(pages, 'Made before anybody was there again')
    await until(async () => (await states(pages)).every(state => state === 'Live'))
  },
)

/** Freezes a page, as browsers do with tabs that nobody looks at, or wakes it. */
const lifecycleOf = async (context: BrowserContext, page: Page) => {
  const devtools = await context.newCDPSession(page)
  return (state: 'frozen' | 'active') => devtools.send('Page.setWebLifecycleState', { state })
}

t.test('a tab that sleeps catches up when it wakes', { skip }, async t => {
  const { url, api } = await serveHere(t)
  const way = await forgetfulProxy(t, Number(new URL(url).port))
  const id = await say(api, 'A long task', [
    { message: 'The first half.' },
    { sleep_ms: 4_000 },
    { message: 'The second half.' },
  ])
  const { pages, context } = await openTabs(t, browser, way.url, ['', `/tasks/${id}`])
  const [list, task] = pages as [Page, Page]
  await sees(list, 'Live')
  await sees(task, 'The first half.')
  const lives = await Promise.all(pages.map(page => lifecycleOf(context, page)))
  for (const live of lives) await live('frozen')
  way.forget()
  await say(api, 'Made in the night')
  await until(async () => (await read(api('GET', `/tasks/${id}`))).body.result.status === 'completed')
  for (const live of lives) await live('active')
  await sees(list, 'Made in the night')
  await sees(task, 'The second half.')
  await say(api, 'Made in the morning')
  await sees(list, 'Made in the morning')
  t.same(await states([list]), ['Live'])
})

t.test(
  'where WebSockets pass again, a list that reads every few seconds is live again',
  { skip },
  async t => {
    const { url, api } = await serveHere(t)
    const way = await forgetfulProxy(t, Number(new URL(url).port))
    way.refuse(true)
    const { page } = await openConsole(t, browser, `${way.url}/ui`)
    await sees(page, 'Read every few seconds')
    await say(api, 'Seen without a WebSocket')
    await sees(page, 'Seen without a WebSocket')
    way.refuse(false)
    await sees(page, 'Live')
    await say(api, 'Seen at once')
    await sees(page, 'Seen at once')
  },
)

t.test('a page that comes back from the history of the browser is live', { skip }, async t => {
  const { url, api } = await serveHere(t)
  const { page } = await openConsole(t, browser, `${url}/ui`)
  await sees(page, 'Live')
  await page.goto(`${url}/docs`)
  await say(api, 'Made meanwhile')
  await page.goBack()
  await sees(page, 'Made meanwhile')
  await say(api, 'Made afterwards')
  await sees(page, 'Made afterwards')
})
