// The list of tasks when there are many: when it can be used, its memory, and how long further pages and a filter take, each
// against the same list of a hundred tasks.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { read, until } from '../../support/http.ts'
import { at, megabytes, open, type Soak } from './open.ts'

const callers = 32
const times = 5
/** A list of any length may take this many times as long as a list of a hundred tasks. */
const mostTimes = 3

/** Creates ended tasks. One in fifty belongs to the user that is searched for. */
const makeTasks = async ({ server }: Soak, from: number, to: number): Promise<void> => {
  let next = from
  const caller = async () => {
    while (next < to) {
      const n = next++
      const user_id = n % 50 === 0 ? 'rare' : 'common'
      const task = { user_message_content: `Task ${n}`, stream: false, client_id: 'echo', user_id }
      assert.equal((await read(server.api('POST', '/tasks', task))).status, 200)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

/** Waits until the page has counted this many tasks. */
const counted = async (page: Page, total: number): Promise<void> => {
  const shown = page.locator('.count', { hasText: 'completed' }).locator('b')
  await until(async () => (await shown.textContent())?.replace(/\D/g, '') === String(total))
}

const rows = (page: Page) => page.locator('table.tasks tbody tr')
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}
const median = (values: number[]): number =>
  at(
    values.sort((a, b) => a - b),
    0.5,
  )

/** Milliseconds until the list, its counts and its connection are there; until a filter shows its result; and megabytes. */
const look = async (soak: Soak, total: number) => {
  const [shown, found] = [[] as number[], [] as number[]]
  let used = 0
  for (let n = 0; n < times; n++) {
    const page = await open(soak, '/ui/system')
    shown.push(
      await timed(async () => {
        await page.goto(`${soak.server.url}/ui`)
        await page.getByText(`Task ${total - 1}`, { exact: true }).waitFor()
        await counted(page, total)
        await page.getByText('Live').waitFor()
      }),
    )
    used = await megabytes(page)
    found.push(
      await timed(async () => {
        await page.getByRole('searchbox', { name: 'User' }).pressSequentially('rare', { delay: 30 })
        await page.getByText(`Task ${total - 50}`, { exact: true }).waitFor()
        await page.getByText(`Task ${total - 1}`, { exact: true }).waitFor({ state: 'detached' })
      }),
    )
    await page.context().close()
  }
  return { shown: median(shown), found: median(found), used }
}

/** Presses the button for older tasks until the page has all that it shows at a time. */
const showAll = async (soak: Soak): Promise<{ perPage: number; used: number; count: number }> => {
  const page = await open(soak, '/ui')
  await page.getByText('Live').waitFor()
  const more = page.getByRole('button', { name: 'Show older tasks' })
  const took: number[] = []
  while ((await more.count()) > 0) {
    const before = await rows(page).count()
    took.push(
      await timed(async () => {
        await more.click()
        await rows(page).nth(before).waitFor()
      }),
    )
  }
  const [used, count] = [await megabytes(page), await rows(page).count()]
  await page.context().close()
  return { perPage: took.length === 0 ? 0 : median(took), used, count }
}

export const longList = async (soak: Soak, count: number): Promise<void> => {
  await makeTasks(soak, 0, 100)
  const few = await look(soak, 100)
  await makeTasks(soak, 100, count)
  const many = await look(soak, count)
  const all = await showAll(soak)
  const ratio = (a: number, b: number) => (a / b).toFixed(2)
  console.log(
    `a list of ${count} tasks against one of 100: usable after ${ratio(many.shown, few.shown)} times the time (${many.shown} ms), a filter after ${ratio(many.found, few.found)} times (${many.found} ms), ${ratio(many.used, few.used)} times the memory (${many.used} MB); ${all.count} rows at most, ${all.perPage} ms for a further page, ${all.used} MB with all rows`,
  )
  assert.ok(many.shown < mostTimes * few.shown)
  assert.ok(many.found < mostTimes * few.found)
}
