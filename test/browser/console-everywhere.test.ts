// What holds for every view of the console, in a real browser: what it says while the server is away and of things that are
// not there, its title, its keys and its links, and that everybody can read it at every width.
import type { Page } from 'playwright-core'
import t from 'tap'
import { receive } from '../console/receiver.ts'
import { seedViews } from '../console/seed-views.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { serveHere, spawnServer } from '../support/server.ts'
import { faultsOf, goTo, openConsole, sees, tooWide } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false

const { url, api } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1', ALLOW_UNSANDBOXED_SHELL: '1' })
const receiver = await receive()
t.teardown(receiver.end)
const views = skip ? [] : await seedViews(api, receiver.address)

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const banner = (page: Page) => page.getByText('The server cannot be reached.')
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
  const { page, context, complaints } = await openConsole(t, browser, `${url}/ui`)
  const tasks = (await read(api('GET', '/tasks?fields=summary&limit=2'))).body.result as unknown as {
    id: string
  }[]
  const [one, two] = tasks.map(({ id }) => id)
  const shown = [
    ...views.filter(({ name }) => !/-(new|edit)$/.test(name)),
    { name: 'home', path: '/ui' },
    { name: 'task', path: `/ui/tasks/${one}` },
    { name: 'partners', path: `/ui/diff/${one}` },
    { name: 'diff', path: `/ui/diff/${one}/${two}` },
    { name: 'proof', path: '/ui/proof/3' },
  ]
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

/** The texts of the narrow columns that are cut off, once the ages are as long as they can be. Runs in the page. */
const cutNumbers = `(() => {
  const cells = [...document.querySelectorAll('td.number')]
  for (const time of document.querySelectorAll('td.age time')) time.firstChild.data = '119 min ago'
  return cells.filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent)
})()`

t.test('axe finds nothing, in light and dark, and no view is wider than a phone', { skip }, async t => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const isDark = colorScheme === 'dark'
    const viewport = { width: isDark ? 400 : 1280, height: 900 }
    const { page, complaints } = await openConsole(t, browser, `${url}/ui`, { colorScheme, viewport })
    await page.locator('h1').first().waitFor()
    for (const { name, path } of views) {
      await goTo(page, path)
      await page.locator('.page h1').waitFor()
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      const faults = await faultsOf(page, isDark ? ['color-contrast'] : undefined)
      t.same(faults, [], `${name}, ${colorScheme}`)
      t.equal(await tooWide(page), 0, `${name} fits into ${viewport.width} pixels`)
      t.same(await page.evaluate(cutNumbers), [], `${name} shows its ages and numbers whole`)
      if (name === 'env') t.equal(await page.evaluate('scrollY'), 0, 'a session opens at its world')
    }
    t.same(complaints, [])
  }
})

t.test('a page of another version of the server says that it must be loaded again', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/nowhere`)
  await page.route('**/ui/assets/usage-*.js', route => route.fulfill({ status: 404 }))
  await goTo(page, '/ui/usage')
  await sees(page, 'The server now has another version of the console.')
  await page.unroute('**/ui/assets/usage-*.js')
  await button(page, 'Load this page again').click()
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  t.equal(page.url(), `${url}/ui/usage`, 'the view that somebody wanted')
  t.same(complaints, [])
})

t.test('? opens the list of keys, and the links show at 400 px that there are more', { skip }, async t => {
  const viewport = { width: 400, height: 800 }
  const { page, complaints } = await openConsole(t, browser, `${url}/ui`, { viewport })
  const links = page.getByRole('navigation', { name: 'Views' })
  const more = () => links.getAttribute('data-more')
  await until(async () => (await more()) === 'right')
  t.match(
    await links.evaluate(nav => nav.ownerDocument.defaultView?.getComputedStyle(nav).maskImage),
    /linear-gradient/,
  )
  await goTo(page, '/ui/cron')
  await until(async () => (await more()) === 'left right')
  await goTo(page, '/ui/system')
  await until(async () => (await more()) === 'left')
  await page.setViewportSize({ width: 1400, height: 800 })
  await until(async () => (await more()) === '')
  await page.locator('main h1').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Play and stop').waitFor()
  t.same(await faultsOf(page), [])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await goTo(page, '/ui/audit')
  await page.getByRole('searchbox').pressSequentially('what?')
  t.equal(await page.getByRole('dialog').count(), 0, 'somebody who writes gets no list')
  t.same(complaints, [])
})

t.test('a long id is cut in the middle, and is copied whole', { skip }, async t => {
  const { body } = await read(
    api('POST', '/tasks', { user_message_content: 'Id', stream: false, client_id: 'echo' }),
  )
  const { id } = body.result
  const { page } = await openConsole(t, browser, `${url}/ui/audit?search=${id}`)
  const row = page.getByRole('link', { name: `task-${id}`, exact: true })
  await row.waitFor()
  const cut = row.locator('.cut-id')
  t.equal(await cut.getAttribute('title'), `task-${id}`)
  t.ok(((await cut.boundingBox())?.width ?? 999) < 260, 'its middle is not seen')
  t.equal(
    await cut.evaluate(element => {
      const selection = element.ownerDocument.getSelection()
      selection?.selectAllChildren(element)
      return selection?.toString()
    }),
    `task-${id}`,
  )
})

t.test('the past hour, the days and the rewards are drawn as they were', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/system`)
  const memory = page.getByRole('region', { name: 'Memory', exact: true })
  await memory.getByRole('img', { name: /^Memory: now [\d ]+ MiB, at most [\d ]+ MiB$/ }).hover()
  await memory.getByText(/at most/).waitFor()
  t.equal(await memory.getByText('now', { exact: true }).count(), 0, 'it shows the value that is pointed at')
  const script = [{ fail: { code: -32000, message: 'no' } }]
  const failing = { user_message_content: 'No', agent_config: { agent_id: 'script', script } }
  await read(api('POST', '/tasks', { ...failing, stream: false }))
  type Counts = { total: number; by_status: Record<string, number> }
  const counts = (await read(api('GET', '/tasks?fields=counts'))).body.result as unknown as Counts
  await goTo(page, '/ui/usage')
  await page.getByRole('img', { name: new RegExp(`^${counts.total} tasks in 14 days`) }).waitFor()
  /** The sum of a column of the table, since midnight may have passed meanwhile. */
  const sumOf = async (column: number) => {
    const cells = await page.locator(`.rows tbody td:nth-child(${column})`).allTextContents()
    return cells.reduce((sum, text) => sum + Number(text), 0)
  }
  t.equal(await sumOf(2), counts.total)
  t.equal(await sumOf(3), counts.by_status.completed)
  t.equal(await sumOf(4), counts.by_status.failed)
  for (const kind of ['is-completed', 'is-failed'])
    t.ok((await page.locator(`.stack i.${kind}`).first().boundingBox())?.height, `${kind} is drawn`)

  await goTo(page, '/ui/env/maze')
  const reward = page.getByRole('region', { name: 'Reward' })
  const line = reward.getByRole('img', { name: /^Reward, step by step: from / })
  const points = (await line.locator('polyline').getAttribute('points'))?.split(' ') ?? []
  t.equal(points.length, 7, 'the create and six steps')
  const box = await line.boundingBox()
  await line.click({ position: { x: 2, y: 20 } })
  t.equal(new URL(page.url()).searchParams.get('event'), '0', 'the left end is the create')
  await line.click({ position: { x: (box?.width ?? 0) - 2, y: 20 } })
  t.equal(new URL(page.url()).searchParams.get('event'), null, 'and the right end is now')
  t.same(complaints, [])
})
