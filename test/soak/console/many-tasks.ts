// Very many new tasks a second, while the list is open: whether somebody can still use the page, and its memory.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { read } from '../../support/http.ts'
import { at, megabytes, open, type Soak } from './open.ts'

const seconds = 10
const perSecond = 1000
const callers = 256
/** Milliseconds between two keys that somebody presses meanwhile. */
const keyMs = 200
const mostRows = 500
const moreMegabytes = 100

/** Creates tasks at the wanted rate, or as fast as the server can. Resolves to their number. */
const makeTasks = async ({ server }: Soak): Promise<number> => {
  const body = { user_message_content: 'One of many', stream: false, background: true, client_id: 'echo' }
  let made = 0
  const began = performance.now()
  const caller = async () => {
    while (performance.now() - began < seconds * 1000) {
      await read(server.api('POST', '/tasks', body))
      made++
      const early = (made / perSecond) * 1000 - (performance.now() - began)
      if (early > 0) await new Promise(resolve => setTimeout(resolve, early))
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return made
}

type Watched = { gaps: number[]; long: number[]; keys: number[] }
/** Begins to note frames, long tasks of the browser, and how long it took until the page had drawn a pressed key. */
const watch = (page: Page) =>
  page.evaluate(`{
    window.watched = { gaps: [], long: [], keys: [] }
    const durations = (type, list, options) =>
      new PerformanceObserver(found => {
        for (const { name, duration } of found.getEntries())
          if (type !== 'event' || name === 'keydown') list.push(duration)
      }).observe({ type, ...options })
    durations('longtask', watched.long)
    durations('event', watched.keys, { durationThreshold: 16 })
    let last
    const frame = now => {
      if (last !== undefined) watched.gaps.push(now - last)
      last = now
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  }`)
const noted = async (page: Page): Promise<Watched> => {
  const { gaps, long, keys } = (await page.evaluate('watched')) as Watched
  const sorted = (list: number[]) => list.sort((a, b) => a - b)
  return { gaps: sorted(gaps), long: sorted(long), keys: sorted(keys) }
}

/** The processor time that the page has used, in milliseconds. */
const processorTimeOf = async (page: Page): Promise<() => Promise<number>> => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'ProcessTime')?.value ?? 0)
  }
}

/** Writes into the box for a new task until `until` resolves. Resolves to what was written. */
const writeMeanwhile = async (page: Page, until: Promise<unknown>): Promise<string> => {
  let isOver = false
  const over = until.finally(() => {
    isOver = true
  })
  await page.locator('#new-task').focus()
  let text = ''
  for (; !isOver; text += 'a') {
    await page.keyboard.press('a')
    await new Promise(resolve => setTimeout(resolve, keyMs))
  }
  await over
  return text
}

/** Waits until the page has counted all tasks. */
const counted = async ({ server }: Soak, page: Page): Promise<void> => {
  const { body } = await read(server.api('GET', '/tasks?fields=counts'))
  const { total } = body.result as unknown as { total: number }
  const shown = page.locator('.count', { hasText: 'completed' }).locator('b')
  const until = Date.now() + 60_000
  while ((await shown.textContent())?.replace(/\D/g, '') !== String(total)) {
    assert.ok(Date.now() < until, `the count on the page comes to ${total}`)
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

export const manyTasks = async (soak: Soak): Promise<void> => {
  const page = await open(soak, '/ui')
  await page.getByText('Live').waitFor()
  const before = await megabytes(page)
  await watch(page)
  const processorTime = await processorTimeOf(page)
  const idle = await processorTime()
  const making = makeTasks(soak)
  const text = await writeMeanwhile(page, making)
  const { gaps, long, keys } = await noted(page)
  const [made, busyMs] = [await making, (await processorTime()) - idle]
  await counted(soak, page)
  const used = await megabytes(page)
  console.log(
    `${Math.round(made / seconds)} tasks a second for ${seconds} s: frames: median ${at(gaps, 0.5)} ms, p95 ${at(gaps, 0.95)} ms; ${long.length} long tasks, the longest ${at(long, 1)} ms; a pressed key is drawn after: median ${at(keys, 0.5)} ms, p95 ${at(keys, 0.95)} ms; ${(busyMs / made).toFixed(2)} ms of processor time for each task; ${before} MB before, ${used} MB after`,
  )
  assert.equal(await page.locator('#new-task').inputValue(), text, 'every key was taken')
  assert.ok((await page.locator('table.tasks tbody tr').count()) <= mostRows)
  assert.ok(used < before + moreMegabytes, `the page uses ${used} MB`)
  await page.context().close()
}
