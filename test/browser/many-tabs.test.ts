// Many tabs of the console in one real browser, over HTTP/1.1, where a browser opens at most six connections for requests to
// a host: all are live, and stay live when tabs close, users change, tokens end, servers restart and browsers sleep.
import { once } from 'node:events'
import { createServer, request as requestOf } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { freePort } from '../../src/platform/free-port.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { type Api, apiOf, serveHere, spawnServer } from '../support/server.ts'
import { openConsole, sees } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const tabs = 8

const say = async (api: Api, message: string, script?: object[]): Promise<string> => {
  const agent_config = script === undefined ? { agent_id: 'echo' } : { agent_id: 'script', script }
  const body = { user_message_content: message, stream: false, background: true, agent_config }
  return (await read(api('POST', '/tasks', body))).body.result.id
}
const tokenOf = async (api: Api, role: string, user_id?: string) =>
  (await read(api('POST', '/auth/tokens', { role, user_id }))).body as unknown as {
    id: string
    token: string
  }

/** Opens the views in tabs of one browser. The list is opened when there is no view. */
const openTabs = async (t: Test, url: string, views: readonly string[]) => {
  const { page, context, complaints } = await openConsole(t, browser, `${url}/ui${views[0] ?? ''}`)
  const pages = [page]
  for (const view of views.slice(1)) {
    const tab = await context.newPage()
    tab.on('pageerror', error => complaints.push(error.message))
    await tab.goto(`${url}/ui${view}`)
    pages.push(tab)
  }
  return { pages, context, complaints }
}
const lists = Array.from({ length: tabs }, () => '')
const allSee = (pages: readonly Page[], text: string) => Promise.all(pages.map(page => sees(page, text)))
const states = (pages: readonly Page[]) =>
  Promise.all(pages.map(page => page.locator('output.connection').textContent()))

t.test('eight lists are live, and closed tabs take nothing from the others', { skip }, async t => {
  const { url, api } = await serveHere(t)
  const { pages, complaints } = await openTabs(t, url, lists)
  await allSee(pages, 'Live')
  await say(api, 'Everybody sees this')
  await allSee(pages, 'Everybody sees this')
  const [first, ...others] = pages as [Page, ...Page[]]
  // Ordinary requests are answered, also those of the first tab.
  await first.locator('#new-task').fill('Started in a tab')
  await first.locator('#new-task').press('Enter')
  await allSee(others, 'Started in a tab')
  await first.close()
  await others[0]?.close()
  const left = others.slice(1)
  await say(api, 'Those that are left see this')
  await allSee(left, 'Those that are left see this')
  t.same(new Set(await states(left)), new Set(['Live']))
  t.same(complaints, [])
})

t.test('eight views of different kinds are live, with a task that works', { skip }, async t => {
  const { url, api } = await serveHere(t)
  const script = [{ message: 'The first half.' }, { sleep_ms: 3_000 }, { message: 'The second half.' }]
  const ids = await Promise.all(Array.from({ length: 4 }, (_, n) => say(api, `Task ${n}`, script)))
  const of = (id = '') => `/tasks/${id}`
  const compared = `/diff/${ids[0]}/${ids[1]}`
  const views = [...ids.map(of), compared, '/env', '/cron', '']
  const { pages, complaints } = await openTabs(t, url, views)
  const works = pages.slice(0, 4)
  await allSee(works, 'The second half.')
  for (const page of works) await page.locator('.task-head .is-completed').waitFor()
  await say(api, 'The list goes on')
  await sees(pages.at(-1) as Page, 'The list goes on')
  t.same(await states(pages.slice(-3)), ['Live', 'Live', 'Live'])
  t.same(complaints, [])
})

t.test('each tab has the user who has signed in there', { skip }, async t => {
  const { url, api } = await serveHere(t)
  const { pages } = await openTabs(t, url, ['', '', ''])
  const [ann, admin] = pages as [Page, Page]
  const asAnn = await tokenOf(api, 'user', 'ann')
  const asBob = await tokenOf(api, 'user', 'bob')
  await ann.getByRole('button', { name: 'Sign out' }).click()
  await ann.getByLabel('Access token').fill(asAnn.token)
  await ann.keyboard.press('Enter')
  await sees(ann, 'Live')
  await say(apiOf(url, asBob.token), 'Bob has a secret')
  await say(apiOf(url, asAnn.token), 'Ann has a question')
  await allSee([admin, ann], 'Ann has a question')
  await sees(admin, 'Bob has a secret')
  t.equal(await ann.getByText('Bob has a secret').count(), 0)

  await read(api('DELETE', `/auth/tokens/${asAnn.id}`))
  await sees(ann, 'This token is no longer valid.')
  await say(api, 'The others go on')
  await sees(admin, 'The others go on')
})

t.test(
  'after a restart of the server all tabs are live again, and have missed nothing',
  { skip },
  async t => {
    const dataDir = t.testdir()
    const PORT = String(await freePort())
    const before = await spawnServer(t, dataDir, { PORT })
    const { pages } = await openTabs(t, before.url, lists)
    await allSee(pages, 'Live')
    await before.end('SIGKILL')
    await allSee(pages, 'Connection lost, trying again')
    const { api } = await spawnServer(t, dataDir, { PORT })
    await say(api, 'Made before anybody was there again')
    await allSee(pages, 'Made before anybody was there again')
    await until(async () => (await states(pages)).every(state => state === 'Live'))
  },
)

/**
 * A proxy that can forget its WebSockets, as the network does while a machine sleeps: nothing passes any more, and nobody
 * tells the browser.
 */
const forgetfulProxy = async (t: Test, port: number) => {
  const open = new Set<Socket>()
  const target = { port, host: '127.0.0.1' }
  const proxy = createServer((request, response) => {
    const { method, url: path, headers } = request
    const passed = requestOf({ ...target, method, path, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  proxy.on('upgrade', ({ url, rawHeaders }, near: Socket) => {
    const far = connect(target)
    const lines = [`GET ${url} HTTP/1.1`]
    for (let n = 0; n < rawHeaders.length; n += 2) lines.push(`${rawHeaders[n]}: ${rawHeaders[n + 1]}`)
    far.write(`${lines.join('\r\n')}\r\n\r\n`)
    for (const socket of [near, far]) open.add(socket.on('error', () => {}))
    near.pipe(far).pipe(near)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
    proxy.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    forget() {
      for (const socket of open) socket.unpipe().resume()
    },
  }
}

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
  const { pages, context } = await openTabs(t, way.url, ['', `/tasks/${id}`])
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

t.test('a task whose user has too many connections goes on when one has closed', { skip }, async t => {
  const { url, api } = await serveHere(t, { QUOTA_SOCKETS: '1' })
  const { token } = await tokenOf(api, 'user', 'ann')
  const id = await say(apiOf(url, token), 'Wait', [{ sleep_ms: 600_000 }])
  const first = await openConsole(t, browser, `${url}/ui`, { token })
  await sees(first.page, 'Live')
  const second = await openConsole(t, browser, `${url}/ui/tasks/${id}`, { token })
  await sees(second.page, 'Connection lost, trying again')
  await first.page.close()
  await sees(second.page, 'Live')
  await read(apiOf(url, token)('POST', `/tasks/${id}/cancel`))
  await second.page.locator('.task-head .is-canceled').waitFor()
  t.same(await states([second.page]), ['Complete'])
})
