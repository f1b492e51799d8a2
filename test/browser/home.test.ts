// The first view in a real browser: the form for a new task, the counts, and the failures of the last day.
import t from 'tap'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { faultsOf, openConsole, sees, tooWide } from './console-page.ts'
import { say } from './tabs.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { url, api } = await serveHere(t)

const failing = (message: string, why: string) =>
  say(api, message, [{ fail: { code: -32000, message: why } }])

t.test('the form for a new task is open until there are tasks, then it is one line', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
  const example = page.getByRole('button', { name: /^Repeat/ })
  await sees(page, 'No tasks yet')
  await example.waitFor()
  t.equal(await page.locator('.count').count(), 0, 'no count of nothing')
  await example.click()
  await page.locator('button:focus', { hasText: 'Start' }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.task-head .is-completed').waitFor()
  await page.getByRole('link', { name: 'Tasks', exact: true }).click()
  const form = page.getByRole('form', { name: 'Start a task' })
  await page.locator('table.tasks').waitFor()
  await until(async () => ((await form.boundingBox())?.height ?? 0) < 60)
  t.equal(await example.count(), 0)
  for (const width of [400, 1280, 2560]) {
    await page.setViewportSize({ width, height: 900 })
    t.ok(((await form.boundingBox())?.height ?? 0) < 60, `one line at ${width}`)
    t.equal(await tooWide(page), 0)
  }
  await page.keyboard.press('n')
  await example.waitFor()
  t.same(await faultsOf(page), [])
  await page.keyboard.type('Written in one line')
  await page.keyboard.press('Escape')
  await example.waitFor({ state: 'detached' })
  t.equal(await page.locator('#new-task').inputValue(), 'Written in one line', 'what was written stays')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.locator('.task-head', { hasText: 'Written in one line' }).waitFor()
  await page.locator('.task-head .is-completed').waitFor()
  t.same(complaints, [])
})

t.test(
  'only statuses that some task has are counted, and the boxes stand beside their rows',
  { skip },
  async t => {
    const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
    await page.locator('.count').first().waitFor()
    t.same(await page.locator('.count .status').allTextContents(), ['✓completed'])
    await page.goto(`${url}/ui?status=canceled`)
    await sees(page, 'No task fits these filters')
    t.same(
      await page.locator('.count .status').allTextContents(),
      ['✓completed', '⊘canceled'],
      'a filter can be taken away',
    )
    await page.goto(`${url}/ui`)
    const row = page.locator('table.tasks tbody tr').first()
    await row.waitFor()
    const [box, status] = await Promise.all(
      [row.locator('input'), row.locator('.status')].map(each => each.boundingBox()),
    )
    if (!box || !status) throw new Error('a row without a box')
    t.ok(Math.abs(box.y + box.height / 2 - status.y - status.height / 2) <= 1, 'in one line')
    const select = page.getByRole('button', { name: 'Select unfinished' })
    t.notOk(/quiet/.test((await select.getAttribute('class')) ?? ''), 'a button that looks like one')
    t.same(complaints, [])
  },
)

t.test(
  'failures are one row for each reason, with a link to all, and can be dismissed',
  { skip },
  async t => {
    for (let n = 0; n < 5; n++) await failing(`Fly ${n}`, `no seat after ${30 + n} s, ask 01a227de458f-${n}`)
    await failing('Cook', 'the stove is cold')
    const { page, context, complaints } = await openConsole(t, browser, `${url}/ui`)
    const urgent = page.getByRole('table', { name: 'Tasks that need attention' })
    const rows = urgent.locator('tbody tr')
    await until(async () => (await rows.count()) === 2)
    const flights = rows.filter({ hasText: 'Fly 4' })
    await flights.getByText('and 4 more').waitFor()
    t.same(await faultsOf(page), [])
    await flights.getByRole('link', { name: 'and 4 more' }).click()
    await sees(page, 'Matching tasks')
    await until(async () => (await page.locator('table.tasks tbody tr').count()) === 5)
    t.equal(await page.getByText('the stove is cold').count(), 0)
    await page.goBack()
    await rows.filter({ hasText: 'Cook' }).getByRole('button', { name: 'Dismiss' }).click()
    await flights.getByRole('button', { name: 'Dismiss' }).click()
    await urgent.waitFor({ state: 'detached' })
    await sees(page, '6 failures are dismissed')
    const again = await context.newPage()
    await again.goto(`${url}/ui`)
    await sees(again, '6 failures are dismissed')
    await again.close()
    await failing('Fly again', 'no seat after 99 s, ask 0000aaaa')
    await sees(page, 'Fly again')
    await until(async () => (await rows.count()) === 1)
    t.equal(await rows.getByText(/more$/).count(), 0, 'only the new one')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await flights
      .or(rows.filter({ hasText: 'Fly again' }))
      .getByText('and 5 more')
      .waitFor()
    t.same(Object.keys(JSON.parse(String(await page.evaluate('JSON.stringify(localStorage)')))).length, 1)
    t.equal((await read(api('GET', '/tasks?status=failed&limit=100'))).status, 200)
    t.same(complaints, [])
  },
)

/** The scripts, styles and pages that came over the network, with their sizes there. */
const loaded = `(() => {
  const files = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/ui/'))
  const sizes = [...performance.getEntriesByType('navigation'), ...files].map(each => each.encodedBodySize)
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
})()`
type Loaded = { files: number; bytes: number }

t.test(
  'the first load is small, and the parts for messages, code and search come when they are needed',
  { skip },
  async t => {
    const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
    await sees(page, 'Needs attention')
    const first = (await page.evaluate(loaded)) as Loaded
    t.ok(first.bytes > 10_000 && first.bytes < 50 * 1024, `${first.bytes} bytes in ${first.files} files`)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).waitFor()
    const search = (await page.evaluate(loaded)) as Loaded
    t.ok(search.bytes > first.bytes)
    const id = await say(api, 'Show code', [{ message: '```js\nlet a\n```' }])
    await page.goto(`${url}/ui/tasks/${id}`)
    await page.locator('.code-block .is-keyword').waitFor()
    const task = (await page.evaluate(loaded)) as Loaded
    t.ok(task.bytes < 150 * 1024, `a task with code: ${task.bytes} bytes in ${task.files} files`)
    t.comment(`first load ${first.bytes} in ${first.files}, a task with code ${task.bytes} in ${task.files}`)
    t.same(complaints, [])
  },
)
