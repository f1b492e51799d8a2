// A tour through the console in a real browser, once by keyboard alone and once by mouse: everything that somebody does
// with a task, from its start to an outcome that nobody knows.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { envCalls, kept, modules } from '../http/env-calls.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { spawnServer } from '../support/server.ts'
import { openConsole, sees } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false

/** Two tasks for each hand, whose calls ran when the server was killed. Resolves to the address of the next server. */
const serveUnknown = async (t: Test): Promise<string> => {
  const dataDir = t.testdir()
  const first = await spawnServer(t, dataDir, { ENV_PATH: modules })
  const sessions = ['keyboard', 'mouse'].flatMap(hand => [`again-${hand}`, `given-${hand}`])
  const fileOf = (session: string) => path.join(dataDir, session)
  for (const session_id of sessions) {
    await envCalls(first.api).made({ session_id, env_class_path: kept })
    const hold = { tool: 'hold', arguments: { file: fileOf(session_id) } }
    const script = [hold, { message: 'so: $result' }]
    const agent_config = { agent_id: 'script', script }
    const body = { user_message_content: `Hold ${session_id}`, stream: false, background: true }
    await read(first.api('POST', '/tasks', { ...body, session_id, agent_config }))
  }
  await until(() => sessions.every(session => existsSync(`${fileOf(session)}.begun`)))
  await first.end('SIGKILL')
  for (const session of sessions) writeFileSync(fileOf(session), '')
  return (await spawnServer(t, dataDir, { ENV_PATH: modules })).url
}

/** How somebody uses the page. */
type Hand = {
  name: 'keyboard' | 'mouse'
  press(what: Locator): Promise<void>
  /** Writes into a field, in the place of what is in it. */
  write(field: Locator, text: string): Promise<void>
  choose(field: Locator, option: string): Promise<void>
  openForm(): Promise<void>
  /** Starts the task that is written. */
  start(): Promise<void>
  /** To the second event of a task. */
  toSecondEvent(): Promise<void>
}

/** The most presses of Tab from one element to another. */
const mostTabs = 150

const keyboardOf = (page: Page): Hand => {
  const reach = async (what: Locator): Promise<void> => {
    await what.waitFor()
    const precedes = 2 // Node.DOCUMENT_POSITION_PRECEDING
    const isBefore = await what.evaluate(
      (element, mask) => element.ownerDocument.activeElement?.compareDocumentPosition(element) & mask,
      precedes,
    )
    for (let tabs = 0; tabs < mostTabs; tabs++) {
      if ((await what.and(page.locator(':focus')).count()) === 1) return
      await page.keyboard.press(isBefore ? 'Shift+Tab' : 'Tab')
    }
    throw new Error(`Tab does not lead to ${what}`)
  }
  return {
    name: 'keyboard',
    async press(what) {
      await reach(what)
      const isBox = (await what.getAttribute('type')) === 'checkbox'
      await page.keyboard.press(isBox ? 'Space' : 'Enter')
    },
    async write(field, text) {
      await reach(field)
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText(text)
    },
    async choose(field, option) {
      await field.locator('option', { hasText: option }).waitFor({ state: 'attached' })
      await reach(field)
      await page.keyboard.press('Home')
      for (let at = 0; (await field.inputValue()) !== option; at++) {
        if (at > (await field.locator('option').count())) throw new Error(`no key leads to ${option}`)
        await page.keyboard.press('ArrowDown')
      }
    },
    openForm: () => page.keyboard.press('n'),
    async start() {
      await page.keyboard.press('n')
      await page.keyboard.press('Enter')
    },
    async toSecondEvent() {
      for (const key of ['Home', 'ArrowRight']) await page.keyboard.press(key)
    },
  }
}

const mouseOf = (page: Page): Hand => ({
  name: 'mouse',
  press: what => what.click(),
  write: (field, text) => field.fill(text),
  choose: async (field, option) => void (await field.selectOption(option)),
  openForm: () => button(page, 'Examples').click(),
  start: () => page.getByRole('button', { name: 'Start' }).click(),
  async toSecondEvent() {
    await page.getByRole('slider').click({ position: { x: 1, y: 8 } })
    await page.getByRole('button', { name: 'One event on' }).click()
  },
})

/** Many short steps, so a pause comes soon. */
const script = Array.from({ length: 400 }, (_, n) => ({ message: `Step ${n}.`, delta_ms: 40 }))

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const stateOf = (page: Page, status: string) => page.locator(`.task-head .is-${status}`).waitFor()

/** Opens the form for a new task, which is one line once there are tasks. */
const toExamples = async (page: Page, hand: Hand) => {
  await page.locator('table.tasks').first().waitFor()
  await hand.openForm()
}

const startAndAnswer = async (page: Page, hand: Hand) => {
  await toExamples(page, hand)
  await hand.press(button(page, /^Ask a person/))
  await page.locator('button:focus', { hasText: 'Start' }).waitFor() // Enter starts the example
  await hand.start()
  await sees(page, 'Before I pay, somebody must approve it.')
  await hand.press(page.getByLabel('Approve the payment'))
  await hand.write(page.getByLabel('Note'), `by ${hand.name}`)
  await hand.press(button(page, 'Answer'))
  await sees(page, `The answer was: {"approved":true,"note":"by ${hand.name}"}`)
  await stateOf(page, 'completed')
  await sees(page, 'Complete')
  await hand.press(link(page, 'Tasks'))
}

const pauseAndCancel = async (page: Page, hand: Hand) => {
  await toExamples(page, hand)
  await hand.press(button(page, /^Speak slowly/))
  await hand.press(page.getByText('Settings of the request'))
  await hand.write(page.getByLabel('Settings of the agent, as JSON'), JSON.stringify({ script }))
  await hand.press(button(page, 'Start'))
  await sees(page, 'Step 1.')
  await hand.press(button(page, 'Pause'))
  await stateOf(page, 'paused')
  await hand.write(page.getByLabel('Say something to the agent'), `A hint by ${hand.name}`)
  await page.keyboard.press('Enter')
  await sees(page, `A hint by ${hand.name}`)
  await hand.press(button(page, 'Resume'))
  await stateOf(page, 'working')
  await hand.press(button(page, 'Cancel'))
  await stateOf(page, 'canceled')
}

const forkAndCompare = async (page: Page, hand: Hand) => {
  const original = page.url()
  await hand.toSecondEvent()
  await sees(page, /from 2 stored events/)
  await hand.press(button(page, 'Fork here'))
  await until(() => !page.url().startsWith(original))
  await hand.press(button(page, 'Cancel'))
  await stateOf(page, 'canceled')
  await hand.press(link(page, 'compare'))
  await sees(page, /They have the same history up to frame \d+/)
  await hand.press(button(page, 'First difference'))
  await sees(page, 'after the first difference')
  // At that moment the conversations can still be the same: one task was paused there, and the other canceled.
  await hand.press(button(page, 'Present'))
  await page
    .locator('.pair.other', { hasText: `A hint by ${hand.name}` })
    .first()
    .waitFor()
}

const stepEnvironment = async (page: Page, hand: Hand) => {
  await hand.press(link(page, 'Environments'))
  await hand.press(button(page, 'Create a session'))
  await hand.choose(page.getByLabel('Environment'), 'chess')
  await hand.write(page.getByLabel('Name of the session, or nothing'), `game-by-${hand.name}`)
  await hand.press(button(page, 'Create a session'))
  await page.getByRole('img', { name: /white king e1/ }).waitFor()
  await hand.write(page.getByLabel(/^move/), 'e4')
  await hand.press(button(page, 'Take the step'))
  await page.getByRole('img', { name: /white pawn e4/ }).waitFor()
  await hand.press(link(page, 'Tasks'))
}

const resolveUnknown = async (page: Page, hand: Hand) => {
  await sees(page, 'outcome unknown')
  await hand.press(link(page, `Hold again-${hand.name}`).first())
  await hand.press(button(page, 'It did not: run it again'))
  await stateOf(page, 'completed')
  await hand.press(link(page, 'Tasks'))
  await hand.press(link(page, `Hold given-${hand.name}`).first())
  await hand.write(page.getByLabel('It did, with this result'), `held by ${hand.name}`)
  await hand.press(button(page, 'Use this result'))
  await sees(page, `so: held by ${hand.name}`)
  await stateOf(page, 'completed')
}

t.test('everything that somebody does with a task', { skip }, async t => {
  const url = await serveUnknown(t)
  for (const handOf of [keyboardOf, mouseOf]) {
    const { page, context, complaints } = await openConsole(t, browser, `${url}/ui`)
    const hand = handOf(page)
    for (const part of [startAndAnswer, pauseAndCancel, forkAndCompare, stepEnvironment, resolveUnknown]) {
      await part(page, hand)
      t.pass(`${part.name} by ${hand.name}`)
    }
    t.same(complaints, [])
    await context.close()
  }
})
