// Agents of users in a real browser: their page, the statechart of an agent, what took time in code, and where code has
// changed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { placeWords } from '../../console/task/chart-tree.ts'
import { seedAgents } from '../console/seed-agents.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { faultsOf, openConsole, sees, tooWide } from './console-page.ts'
import { tokenOf } from './tabs.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const folder = mkdtempSync(path.join(tmpdir(), 'reprise-agents-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const { url, api } = await serveHere(t, { AGENT_PATH: folder })
const empty = await serveHere(t)
const nothing = {
  ids: { chart: '', asking: '', asleep: '', changed: '', queued: '' },
  write() {},
  async stop() {},
}
const { ids, write, stop } = skip ? nothing : await seedAgents(api, url, folder)
t.teardown(stop)

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const card = (page: Page, name: string) =>
  page.locator('.agent-card', { has: page.getByRole('heading', { name, exact: true }) })
const openTask = (t: Parameters<typeof openConsole>[0], id: string, query = '') =>
  openConsole(t, browser, `${url}/ui/tasks/${id}${query}`)
/** Nobody is kept from reading a page, also on a narrow screen. */
const isReadable = async (t: Parameters<typeof openConsole>[0], page: Page) => {
  t.same(await faultsOf(page), [])
  await page.setViewportSize({ width: 390, height: 860 })
  t.equal(await tooWide(page), 0, 'no wider than the screen')
}

t.test(
  'the page of agents shows versions, workers and errors, and follows every change',
  { skip },
  async t => {
    const { page, complaints } = await openConsole(t, browser, `${url}/ui/agents`)
    await sees(page, 'Brings an order from the cart to the door.')
    t.match(await card(page, 'order').innerText(), /statechart\s+order\.mjs\s+version/)
    t.match(await card(page, 'billing').innerText(), /2 workers[\s\S]*version 2026-12/)
    t.match(await card(page, 'shipping').innerText(), /no worker is connected/)
    t.match(await card(page, 'invoices').innerText(), /cannot be loaded[\s\S]*SyntaxError.*line 4/)
    const workers = page.getByRole('table', { name: 'Workers that are connected' })
    t.match(
      await workers.innerText(),
      /eu-1\s+billing version 2026-11\s[\s\S]*16[\s\S]*eu-2\s+billing version 2026-12/,
    )
    await card(page, 'refunds').getByText('Parameters').click()
    const parameters = await card(page, 'refunds').locator('.parameters').innerText()
    t.match(parameters, /limit\s+number required default: 50\s+The greatest amount/)
    t.match(parameters, /currency\s+"EUR" or "USD"[\s\S]*shop\.name\s+string/)

    write('invoices.mjs', "export default async () => 'mended'")
    await card(page, 'invoices').getByText('cannot be loaded').waitFor({ state: 'detached' })
    write('letters.mjs', "export default async () => 'Dear Ann'")
    await card(page, 'letters').waitFor()
    await stop()
    await card(page, 'billing').getByText('no worker is connected').waitFor()
    t.equal(await workers.count(), 0)
    await isReadable(t, page)
    t.same(complaints, [])
  },
)

t.test('an agent runs from its page', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/agents`)
  await link(page, 'Run invoices').click()
  const form = page.getByRole('form', { name: 'Start a task' })
  await until(() => page.evaluate('document.activeElement?.id === "new-task"'))
  t.equal(await form.getByRole('combobox', { name: 'Agent', exact: true }).inputValue(), 'invoices')
  await page.keyboard.type('The one of May')
  await page.keyboard.press('Enter')
  await sees(page, 'mended')
  t.same(complaints, [])
})

t.test('a user sees the agents and no workers, and an auditor starts nothing', { skip }, async t => {
  for (const role of ['user', 'auditor']) {
    const { token } = await tokenOf(api, role)
    const { page, complaints } = await openConsole(t, browser, `${url}/ui/agents`, { token })
    await card(page, 'order').waitFor()
    t.equal(await link(page, 'Run order').count(), role === 'user' ? 1 : 0)
    t.same(complaints, [])
  }
})

t.test('without an agent of a user, the page says how to write one', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${empty.url}/ui/agents`)
  await sees(page, 'No agents of your own yet')
  await sees(page, 'docs/agents.md')
  await isReadable(t, page)
  t.same(complaints, [])
})

type Machine = { value: unknown; next_events: string[]; context: unknown }
/** The states that are lit in the chart of the agent. */
const litIn = (page: Page) =>
  page
    .locator('[aria-label="Statechart"] .chart')
    .first()
    .locator('.lit > text:first-of-type')
    .allTextContents()

t.test('a task of a statechart shows that chart at each moment, as the server does', { skip }, async t => {
  const { page, complaints } = await openTask(t, ids.chart)
  const chart = page.getByRole('region', { name: 'Statechart' })
  await chart.getByRole('heading', { name: 'order', exact: true }).waitFor()
  t.same((await litIn(page)).sort(), ['delivery', 'paid', 'parcel', 'payment', 'ready'])
  t.equal(await chart.locator('.chart').first().locator('.state.final').count(), 5)
  await chart.getByText('In every state: note.').waitFor()
  await chart.getByText('Context').click()
  await chart.getByText('"notes": 1').waitFor()

  const { data: events } = (await read(api('GET', `/audit/events?stream=task-${ids.chart}&limit=1000`)))
    .body as unknown as { data: { position: number; type: string }[] }
  const next = chart.getByRole('list', { name: 'Events that may follow' })
  const moments = events.flatMap(({ type }, n) => (type === 'AgentStepCompleted' ? [n] : []))
  t.ok(moments.length > 3)
  await page.keyboard.press('Home')
  let at = 0
  for (const event of moments) {
    for (; at < event; at++) await page.keyboard.press('ArrowRight')
    const { body } = await read(
      api('GET', `/tasks/${ids.chart}/machine?as_of=position:${events[event]?.position}`),
    )
    const { value, next_events } = body as unknown as Machine
    await page.getByRole('img', { name: `The chart of order is in the state ${placeWords(value)}` }).waitFor()
    t.same(await next.getByRole('listitem').allTextContents(), next_events)
    t.equal(await next.getByRole('button').count(), 0, 'nothing can be sent to the past')
  }
  for (; at > (moments[1] ?? 0); at--) await page.keyboard.press('ArrowLeft')
  await chart.locator('.edge.last').first().waitFor()
  t.same(await chart.locator('.label.last').allTextContents(), ['done'], 'the last move is drawn')
  t.same(await litIn(page), ['waiting'])
  await page.keyboard.press('End')
  await until(async () => (await litIn(page)).length > 1)

  await next.getByRole('button', { name: 'ship', exact: true }).click()
  await page.locator('.task-head .status.is-completed').waitFor()
  t.same(await litIn(page), ['delivered'])
  await chart.getByText('The chart of the task').click()
  await page.getByRole('img', { name: /^The task is completed/ }).waitFor()
  await isReadable(t, page)
  t.same(complaints, [])
})

t.test('what code asked for is named, with its results, and a sleep says until when', { skip }, async t => {
  const { page, complaints } = await openTask(t, ids.asleep)
  const part = page.getByRole('region', { name: 'What took time' })
  await part.locator('.bar-name', { hasText: 'pay' }).waitFor()
  const names = (await part.locator('.bar-name').allTextContents()).map(name => name.trim())
  for (const name of ['find order run', 'calculator tool', 'echo agent', 'ask_manager ask', 'pay run'])
    t.ok(names.includes(name), `${name} in ${names}`)
  t.match(names.at(-1), /^sleep until \w/)
  t.notOk(names.some(name => /^Step|^Waits for input/.test(name)))
  await page
    .locator('.task-head')
    .getByText(/^sleeps until .+ \(in [67] d\)$/)
    .waitFor()
  const effects = page.getByRole('region', { name: 'Effects' })
  await effects.getByText('{"paid":34,"currency":"EUR"}').click()
  await effects.getByText('"paid": 34').waitFor()
  await part.locator('.bar-line', { hasText: 'find order' }).click()
  await sees(page, 'as of event')
  await effects.getByText('pay', { exact: true }).waitFor({ state: 'detached' }) // the effects are those of this moment
  await isReadable(t, page)
  t.same(complaints, [])
})

t.test('a task that waits for a worker says so, in its view and in the list', { skip }, async t => {
  const { page, complaints } = await openTask(t, ids.queued)
  await page.locator('.task-head').getByText('waits for a worker that has the agent').waitFor()
  await page.locator('.bar-name', { hasText: 'Waits for a worker' }).waitFor()
  await page.goto(`${url}/ui`)
  await page.locator('tr', { hasText: 'Ship two mugs' }).getByText('waits for a worker').waitFor()
  t.same(complaints, [])
})

t.test('code that has changed is shown beside what its journal has, with what to do', { skip }, async t => {
  const { page, complaints } = await openTask(t, ids.changed)
  await sees(page, 'Where the code has changed: entry 2 of the journal')
  const side = (name: string) => page.getByRole('region', { name })
  t.match(
    await side('What the journal has').innerText(),
    /tool calculator[\s\S]*"6 \* 7"[\s\S]*42[\s\S]*event \d+/,
  )
  t.match(await side('What the code asks for now').innerText(), /tool calculator[\s\S]*"6 \* 70"/)
  t.equal(await page.locator('.sides .differs').count(), 2, 'only the arguments differ')
  await side('What the journal has')
    .getByRole('button', { name: /^event/ })
    .click()
  await sees(page, 'as of event')
  await isReadable(t, page)
  const fork = button(page, 'Fork before entry 2')
  t.match(await fork.getAttribute('title'), /repeats read subscribers/)
  await fork.click()
  await until(() => !page.url().includes(ids.changed))
  await page.locator('.task-head').getByText('waits for a message').waitFor()
  await page.getByLabel('Say something to the agent').fill('The news')
  await page.keyboard.press('Enter')
  await sees(page, 'The news goes to 2 readers, 420 letters.')
  t.same(complaints, [])
})
