// Two tasks side by side in a real browser: one slider moves both, and the first difference is marked on it.
import t from 'tap'
import { forksOf } from '../http/fork-calls.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { faultsOf, openConsole, sees, tooWide } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { url, api } = await serveHere(t)
const { fork, diff } = forksOf(api)

const run = async (script: object[]) => {
  const body = { user_message_content: 'Sum', stream: false, agent_config: { agent_id: 'script', script } }
  return (await read(api('POST', '/tasks', body))).body.result.id
}
const sum = (expression: string) => ({ tool: 'calculator', arguments: { expression } })
const eventsOf = async (id: string) => {
  const { body } = await read(api('GET', `/audit/events?stream=task-${id}&limit=1000`))
  return (body as unknown as { data: { header: string }[] }).data.map(({ header }) => JSON.parse(header))
}

t.test('one slider moves both tasks, and one key goes to their first difference', { skip }, async t => {
  const beginning = [{ message: 'I compute.' }, sum('20 + 22')]
  const left = await run([...beginning, { message: 'It is $result, I think.' }, sum('1 + 1')])
  const right = await run([...beginning, { message: 'It is 43.' }])
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/diff/${left}/${right}`)
  const { first_divergence } = await diff(left, right)
  await sees(page, `They have the same history up to frame ${first_divergence}, where they begin to differ.`)
  const slider = page.getByRole('slider')
  const rows = page.locator('.pair')
  const others = page.locator('.pair.other')
  t.equal(await rows.count(), 5, 'question, message, call, message, call')
  t.equal(await others.count(), 2)

  await page.keyboard.press('d')
  await sees(page, 'after the first difference')
  const [ofLeft, ofRight] = [await eventsOf(left), await eventsOf(right)]
  const named = await page.locator('.diff-side').allTextContents()
  for (const [n, events] of [ofLeft, ofRight].entries()) {
    const revision = Number(/(\d+) [A-Z]\w+$/.exec(named[n] ?? '')?.[1])
    const { seq, frames, type } = events[revision]
    t.match(named[n], type)
    t.ok(seq <= Number(first_divergence) && seq + frames > Number(first_divergence), `${type} differs`)
  }
  t.ok((await page.locator('.pair').last().getAttribute('class'))?.includes('other'))

  await page.keyboard.press('ArrowLeft')
  await sees(page, '1 before the first difference')
  t.equal(await others.count(), 0, 'before it they are the same')
  t.match(await slider.getAttribute('aria-valuetext'), /the same/)
  await slider.fill('1')
  await page.locator('.diff-side').filter({ hasText: '0 TaskCreated' }).nth(1).waitFor()
  t.equal(await rows.count(), 1)
  await page.waitForURL(/event=0$/)
  await page.reload()
  await page.locator('.diff-side').filter({ hasText: '0 TaskCreated' }).nth(1).waitFor()
  await page.keyboard.press('l')
  t.equal(await rows.count(), 5)
  t.same(complaints, [])
})

t.test('a fork is compared while it works, and its original offers it as a partner', { skip }, async t => {
  const script = [{ message: 'One.' }, { message: 'Two.' }]
  const original = await run(script)
  const created = await fork(original, { at: 2, run: false })
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${original}`)
  await page.getByRole('link', { name: 'Compare' }).click()
  await page.getByRole('link', { name: 'fork of this task' }).click()
  await page.waitForURL(`${url}/ui/diff/${original}/${created.id}`)
  await sees(page, /same history up to frame \d+/)
  t.match(await page.locator('.diff-side').last().textContent(), /paused/)
  await read(api('POST', `/tasks/${created.id}/resume`))
  await page.locator('.diff-side').last().filter({ hasText: 'completed' }).waitFor()
  await page.locator('.pair').filter({ hasText: 'Two.' }).waitFor()
  t.same(complaints, [])
})

t.test('the comparison is read without colours, by keyboard and on a phone', { skip }, async t => {
  const [left, right] = [await run([{ message: 'Yes.' }]), await run([{ message: 'No.' }])]
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [400, 1280]) {
      const viewport = { width, height: 900 }
      const opened = await openConsole(t, browser, `${url}/ui/diff/${left}/${right}`, {
        colorScheme,
        viewport,
      })
      await sees(opened.page, /same history up to/)
      t.same(await faultsOf(opened.page), [], `${colorScheme} at ${width}`)
      t.equal(await tooWide(opened.page), 0)
      t.same(opened.complaints, [])
    }
})

t.test('two tasks with the same history, and a task that is not there, are named', { skip }, async t => {
  const [left, right] = [await run([{ message: 'Yes.' }]), await run([{ message: 'Yes.' }])]
  const { page } = await openConsole(t, browser, `${url}/ui/diff/${left}/${right}`)
  await sees(page, 'The two tasks have the same history.')
  t.ok(await page.getByRole('button', { name: 'First difference' }).isDisabled())
  await page.goto(`${url}/ui/diff/${left}/nothing`)
  await sees(page, 'There is no such task nothing')
})
