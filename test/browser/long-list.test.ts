// A list with more tasks than a page shows at a time, in a real browser: every task can be reached, and writing into a
// filter does not ask the server with each key.
import t from 'tap'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read } from '../support/http.ts'
import { type Api, serveHere } from '../support/server.ts'
import { openConsole, sees } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { url, api } = await serveHere(t)

const make = async (api: Api, message: string, user_id = 'ann') => {
  const task = { user_message_content: message, stream: false, client_id: 'echo', user_id }
  return (await read(api('POST', '/tasks', task))).body.result.id
}
const ids: string[] = []

t.test('tasks beyond the most rows of a page are on the next page', { skip }, async t => {
  for (let n = 0; n < 520; n++) ids.push(await make(api, `Task ${n}`, n === 5 ? 'rare' : 'ann'))
  const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
  const rows = page.locator('table.tasks tbody tr')
  await sees(page, 'the newest 50 of 520')
  for (let count = 50; count < 500; count += 50) {
    await page.getByRole('button', { name: 'Show older tasks' }).click()
    await rows.nth(count).waitFor()
  }
  await page.getByRole('link', { name: 'Go on with older tasks' }).click()
  await sees(page, 'Older tasks')
  await page.getByText('Task 19', { exact: true }).waitFor()
  t.equal(await rows.count(), 20)
  await page.getByText('Task 0', { exact: true }).waitFor()
  await make(api, 'A new one')
  await page.reload()
  await page.getByText('Task 0', { exact: true }).waitFor()
  t.equal(await page.getByText('A new one').count(), 0, 'a new task is no older task')
  await page.goBack()
  await sees(page, 'A new one')
  await page.goForward()
  await page.getByRole('link', { name: 'Newest tasks' }).click()
  await sees(page, 'A new one')
  t.same(complaints, [])
})

t.test('a filter asks the server when somebody has written it', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
  await sees(page, 'Live')
  const opened: string[] = []
  page.on('websocket', socket => opened.push(socket.url()))
  await page.evaluate("addEventListener('input', () => { window.keys = (window.keys ?? 0) + 1 })")
  await page.getByRole('searchbox', { name: 'User' }).pressSequentially('rare')
  await page.getByText('Task 5', { exact: true }).waitFor()
  await page.getByText('Task 519', { exact: true }).waitFor({ state: 'detached' })
  await sees(page, 'Live')
  t.equal(await page.evaluate('keys'), 4)
  t.ok(opened.length < 4, `${opened.length} connections for four keys`)
  t.same(complaints, [])
})

t.test(
  'the search of the log asks the server, so it finds streams that are not loaded',
  { skip },
  async t => {
    const { page, complaints } = await openConsole(t, browser, `${url}/ui/audit`)
    const rows = page.locator('table.tasks tbody tr')
    await rows.nth(499).waitFor()
    const oldest = `task-${ids[0]}`
    t.equal(await page.getByRole('link', { name: oldest }).count(), 0)
    const search = page.getByRole('searchbox', { name: 'Search' })
    await search.fill(oldest.toUpperCase())
    await page.getByRole('link', { name: oldest }).waitFor()
    t.equal(await rows.count(), 1)
    await search.fill('rare')
    await page.getByRole('link', { name: `task-${ids[5]}` }).waitFor()
    await search.fill('no such stream')
    await sees(page, 'No stream fits')
    await search.fill('')
    await page.getByRole('button', { name: 'Show older streams' }).click()
    await page.getByRole('link', { name: oldest }).waitFor()
    t.same(complaints, [])
  },
)

t.test('a stream is shown from the event that an address names', { skip }, async t => {
  const stream = `task-${ids[0]}`
  const { data: events } = JSON.parse(await (await api('GET', `/audit/events?stream=${stream}`)).text())
  const { page, complaints } = await openConsole(
    t,
    browser,
    `${url}/ui/audit/${stream}?position=${events.at(-1).position}`,
  )
  await page.getByRole('link', { name: 'Show the stream from its first event' }).click()
  await sees(page, 'TaskCreated')
  t.same(complaints, [])
})

t.test('conversations, partners and cron jobs go on with older ones', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/sessions`)
  const rows = page.locator('table.tasks tbody tr')
  const grows = async (button: string, from: number, to: number) => {
    await rows.nth(from - 1).waitFor()
    t.equal(await rows.count(), from)
    await page.getByRole('button', { name: button }).click()
    await rows.nth(to - 1).waitFor()
    t.equal(await rows.count(), to)
  }
  await sees(page, 'From the 300 newest tasks')
  await grows('Show older sessions', 300, 521)
  t.equal(await page.getByRole('button', { name: 'Show older sessions' }).count(), 0)
  await page.goto(`${url}/ui/diff/${ids[7]}`)
  await grows('Show older tasks', 100, 200)
  for (let n = 0; n < 104; n++) {
    const job = {
      name: `Job ${n}`,
      schedule: '0 5 * * *',
      task: { user_message_content: 'x' },
      user_id: `u${n % 2}`,
    }
    const { status, text } = await read(api('POST', '/cron/jobs', job))
    if (status >= 300) throw new Error(text)
  }
  await page.goto(`${url}/ui/cron`)
  await grows('Show older jobs', 100, 104)
  t.same(complaints, [])
})
