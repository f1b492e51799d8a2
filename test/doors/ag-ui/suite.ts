// The long form of the tests of AG-UI: the page with CopilotKit in a real browser, and many broken bodies.
import path from 'node:path'
import t from 'tap'
import { launchBrowser, noBrowser } from '../../support/browser.ts'
import { adminToken, serveHere, spawnServer } from '../../support/server.ts'
import { hasCopilotKit, noCopilotKit, servePage } from './copilotkit.ts'
import { beHostile } from './hostile.ts'

t.setTimeout(0)
const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : hasCopilotKit() ? false : noCopilotKit

t.test('the page of docs/ag-ui.md: CopilotKit in a browser', { skip }, async t => {
  const page = await servePage(t)
  const dataDir = t.testdir()
  const env = { ALLOWED_ORIGINS: page.origin }
  const server = await spawnServer(t, dataDir, env)
  await page.make(server.url)
  const context = await browser?.newContext()
  const tab = await context?.newPage()
  if (tab === undefined) throw new Error(noBrowser)
  const complaints: string[] = []
  tab.on('pageerror', error => complaints.push(error.message))
  await tab.goto(`${page.origin}/#${adminToken}`)
  const input = tab.getByRole('textbox').first()
  await input.fill('paint lightblue')
  await input.press('Enter')
  await tab.getByText('The answer is The page is lightblue now').waitFor({ timeout: 60_000 })
  const color = await tab.evaluate("getComputedStyle(document.querySelector('h1')).backgroundColor")
  t.equal(color, 'rgb(173, 216, 230)', 'the tool of the page ran')
  await input.fill('What is 6*7?')
  await input.press('Enter')
  await tab.getByText(/The answer is 42.*start again/).waitFor({ timeout: 60_000 })
  const { result } = (await (await server.api('GET', '/tasks')).json()) as {
    result: { session_id: string }[]
  }
  t.equal(result.length, 2, 'the result of the tool went on with its task')
  t.equal(new Set(result.map(({ session_id }) => session_id)).size, 1)
  const shot = process.env.SCREENSHOTS
  if (shot !== undefined) await tab.screenshot({ path: path.join(shot, 'copilotkit.png') })
  t.same(complaints, [])
})

t.test('five thousand hostile bodies', async t => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
  const { url, lines } = await serveHere(t)
  const { wrong, statuses } = await beHostile(url, 'echo', seed, 5000)
  t.comment(`SEED=${seed}`, statuses)
  t.same(wrong, [], `SEED=${seed}`)
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
