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
  await read(api('POST', '/tasks', task))
}

t.test('tasks beyond the most rows of a page are on the next page', { skip }, async t => {
  for (let n = 0; n < 520; n++) await make(api, `Task ${n}`, n === 5 ? 'rare' : 'ann')
  const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
  const rows = page.locator('table.tasks tbody tr')
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
