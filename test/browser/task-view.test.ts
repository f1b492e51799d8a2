// The view of a task in a real browser: what comes first, what can be done about a failure, its buttons, and the bars that
// show what took time.
import type { Page } from 'playwright-core'
import t from 'tap'
import { seed } from '../console/seed.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { faultsOf, openConsole, sees } from './console-page.ts'
import { tokenOf } from './tabs.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { url, api } = await serveHere(t)
const ids = skip ? { tools: '', question: '', failed: '', written: '' } : await seed(api)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
/** Waits until the page shows another task than before. Resolves to the id of that task. */
const nextTask = async (page: Page, before: string): Promise<string> => {
  await until(() => !page.url().includes(before) && page.url().includes('/tasks/'))
  return page.url().replace(/.*\/tasks\/([^?]+).*/, '$1')
}
type Stored = { type: string; data: { request: { [field: string]: unknown } } }
const storedOf = async (id: string): Promise<Stored[]> => {
  const { body } = await read(api('GET', `/audit/events?stream=task-${id}&limit=1000`))
  return (body as unknown as { data: Stored[] }).data
}

t.test('a failed task says why, and runs again with the same request', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${ids.failed}`)
  const banner = page.getByRole('region', { name: 'Why it ended' })
  t.match(await banner.textContent(), /This task failed: the airline refused the booking.*code -32000/)
  await button(page, 'Run again').click()
  const id = await nextTask(page, ids.failed)
  await sees(page, 'This task failed')
  const [first, again] = [await storedOf(ids.failed), await storedOf(id)].map(
    events => events[0]?.data.request,
  )
  for (const field of ['user_message_content', 'agent_config', 'client_tools', 'user_id'])
    t.same(again?.[field], first?.[field], field)
  const task = (await read(api('GET', `/tasks/${id}`))).body.result as unknown as { metadata: object }
  t.notMatch(task.metadata, { forked_from: {} }, 'it is no fork')
  t.same(complaints, [])
})

t.test(
  'a fork before the failure has what was done before, and repeats only what failed',
  { skip },
  async t => {
    const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${ids.failed}`)
    await button(page, 'Fork before the failure').click()
    const id = await nextTask(page, ids.failed)
    await sees(page, 'Let me look for flights.')
    await sees(page, 'This task failed')
    const { metadata } = (await read(api('GET', `/tasks/${id}`))).body.result as unknown as {
      metadata: { forked_from: { task_id: string; at: number } }
    }
    t.equal(metadata.forked_from.task_id, ids.failed)
    const copied = (await storedOf(id)).map(({ type }) => type)
    const original = (await storedOf(ids.failed)).map(({ type }) => type)
    const same = copied.findIndex((type, n) => type !== original[n])
    t.equal(original[original.indexOf('AgentError') - 1], 'AgentStepCompleted')
    t.ok(same === -1 || same >= original.indexOf('AgentError'), `${copied} begins like ${original}`)
    t.equal(copied.filter(type => type === 'TaskFailed').length, 1, 'the failure was not copied')
    t.same(complaints, [])
  },
)

t.test(
  'a request with secrets cannot be sent again from here, and an auditor makes nothing',
  { skip },
  async t => {
    const script = [{ fail: { code: -32000, message: 'no luck' } }]
    const body = {
      user_message_content: 'With a secret',
      stream: false,
      env: { API_KEY: 'very secret' },
      agent_config: { agent_id: 'script', script },
    }
    const { id } = (await read(api('POST', '/tasks', body))).body.result
    const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${id}`)
    await sees(page, 'Its request had secret values, which the log does not hold')
    t.equal(await button(page, 'Run again').count(), 0)
    const { token } = await tokenOf(api, 'auditor')
    const auditor = await openConsole(t, browser, `${url}/ui/tasks/${ids.failed}`, { token })
    await sees(auditor.page, 'This task failed')
    t.equal(await button(auditor.page, 'Run again').count(), 0)
    t.equal(await button(auditor.page, 'Fork before the failure').count(), 0)
    t.same([...complaints, ...auditor.complaints], [])
  },
)

t.test('the id is copied by a click, and every button says what it does', { skip }, async t => {
  const { page, context, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${ids.tools}`)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await button(page, ids.tools).click()
  await button(page, 'Copied').waitFor()
  t.equal(await page.evaluate('navigator.clipboard.readText()'), ids.tools)
  const buttons = page.locator('.steps button')
  const texts = await page.locator('.steps').innerText()
  t.match(texts.replace(/\s+/g, ' '), /^Move by events ← event → ← move → Next error$/)
  for (const each of await buttons.all()) t.match(await each.getAttribute('title'), /\(.+\)$/)
  await page.keyboard.press('Home')
  await button(page, 'Next move').click()
  await sees(page, /^(TaskStarted|TaskQueued)$/)
  t.same(complaints, [])
})

t.test('the chips above the events show what is on and what is off', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${ids.tools}?event=0`)
  const chip = button(page, 'moves')
  const events = page.locator('.event-type', { hasText: 'TaskCreated' })
  await events.waitFor()
  const look = () =>
    page.evaluate(`(() => {
      const chip = [...document.querySelectorAll('.groups .chip')].find(each => each.textContent === 'moves')
      return {
        mark: getComputedStyle(chip, '::before').content,
        line: getComputedStyle(chip).textDecorationLine,
      }
    })()`)
  t.match(await look(), { mark: /✓/, line: 'none' })
  await chip.click()
  await events.waitFor({ state: 'detached' })
  t.equal(await chip.getAttribute('aria-pressed'), 'false')
  t.match(await look(), { mark: 'none', line: 'line-through' })
  t.same(await faultsOf(page), [])
  await chip.click()
  await events.waitFor()
  t.same(complaints, [])
})

t.test(
  'the answer and the facts come before the statechart, and a wide screen is used',
  { skip },
  async t => {
    const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${ids.tools}`)
    const boxOf = async (name: string) => {
      const box = await page.locator(`main [aria-label="${name}"]`).boundingBox()
      if (box === null) throw new Error(`no ${name}`)
      return box
    }
    for (const width of [1280, 2560]) {
      await page.setViewportSize({ width, height: 1000 })
      const [conversation, facts, chart, events] = await Promise.all(
        ['Conversation', 'Facts', 'Statechart', 'Events'].map(boxOf),
      )
      if (!conversation || !facts || !chart || !events) throw new Error('a panel is missing')
      t.ok(conversation.x < facts.x && facts.x < events.x, `from left to right at ${width}`)
      if (width < 2000) t.ok(facts.y < chart.y, 'the facts are above the statechart')
      else t.ok(facts.x < chart.x && facts.y === chart.y, 'the facts are beside the statechart')
      t.ok(events.x + events.width > width - 40, `up to the right edge at ${width}`)
    }
    // What was said last is in sight.
    t.ok(await page.getByText('The third offer is the cheapest: 100').isVisible())
    t.same(complaints, [])
  },
)

t.test('somebody looks closer at a part of the time that a task took', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${ids.tools}`)
  const part = page.getByRole('region', { name: 'What took time' })
  const bars = part.locator('.bar-name')
  const names = () => bars.allTextContents()
  const ticks = () => part.locator('.ruler-mark').allTextContents()
  await part.scrollIntoViewIfNeeded()
  const all = await names()
  t.ok(all.includes('write_file') && all.includes('agent_demo'))
  const before = await ticks()
  const ruler = await part.locator('.ruler').boundingBox()
  if (ruler === null) throw new Error('no ruler')
  const drag = async (from: number, to: number) => {
    const [y, at] = [ruler.y + 5, (share: number) => ruler.x + share * ruler.width]
    await page.mouse.move(at(from), y)
    await page.mouse.down()
    await page.mouse.move(at((from + to) / 2), y)
    await page.mouse.move(at(to), y)
    await page.mouse.up()
  }
  await drag(0.6, 0.9) // the subagent works
  await until(async () => (await names()).length < all.length)
  t.notSame(await ticks(), before)
  t.same((await names()).includes('write_file'), false, 'what was before is not shown')
  t.ok((await names()).includes('agent_demo'))
  await part.getByText(/ of \d/).waitFor()
  t.same(await faultsOf(page), [])
  await button(page, 'All').click()
  await until(async () => (await names()).length === all.length)
  t.same(await ticks(), before)
  await button(page, 'Closer').press('Enter')
  await button(page, 'Earlier').press('Enter')
  t.notSame(await ticks(), before)
  await button(page, 'Farther').press('Enter')
  await until(async () => (await names()).length === all.length)
  t.equal(await button(page, 'Farther').isDisabled(), true)
  await part.locator('.bar-line', { hasText: 'write_file' }).click()
  await sees(page, 'as of event')
  t.same(complaints, [])
})

t.test('a call that waits for an approval is edited and approved, or refused', { skip }, async t => {
  const create = async (): Promise<string> => {
    const tool = { tool: 'calculator', arguments: { expression: '1+1' } }
    const agent_config = {
      agent_id: 'script',
      script: [tool, { message: 'got: $result' }],
      approve: ['calculator'],
    }
    const body = { user_message_content: 'count', stream: false, agent_config }
    return ((await read(api('POST', '/tasks', body))).body.result as unknown as { id: string }).id
  }
  const edited = await create()
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${edited}`)
  await sees(page, 'May calculator run?')
  await button(page, 'Edit').click()
  const text = page.getByLabel('Arguments', { exact: true })
  await text.fill('{"expression": ')
  await button(page, 'Approve with these arguments').click()
  await sees(page, 'The arguments must be a JSON object.')
  await text.fill('{"expression": "20+3"}')
  await button(page, 'Approve with these arguments').click()
  await sees(page, 'got: 23')
  await page.goto(`${url}/ui/tasks/${await create()}`)
  await page.getByLabel(/^Reason/).fill('count yourself')
  await button(page, 'Refuse').click()
  await sees(page, /got: the call was refused by .*: count yourself/)
  await page.goto(`${url}/ui/tasks/${await create()}`)
  await button(page, 'Approve').click()
  await sees(page, 'got: 2')
  t.same(complaints, [])
})
