// The console under load, in a real browser: a task with 100,000 events, whose slider is dragged, and a list into which a
// thousand tasks a second come. It measures frames and memory of the page, and prints them.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { signedInAs } from '../browser/console-page.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read } from '../support/http.ts'
import { adminToken, launch } from '../support/server.ts'

const events = Number(process.argv[2] ?? 100_000)
const seconds = 10
const perSecond = 1000
const mostMegabytes = 700

const browser = await launchBrowser(['--enable-precise-memory-info'])
if (browser === undefined) throw new Error(noBrowser)
const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-soak-'))
const server = await launch(dataDir, { QUOTA_TASKS: '0' })

const open = async (where: string): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await context.addInitScript({ content: signedInAs(adminToken) })
  const page = await context.newPage()
  await page.goto(server.url + where)
  return page
}
const megabytes = async (page: Page): Promise<number> =>
  Math.round(((await page.evaluate('performance.memory.usedJSHeapSize')) as number) / 2 ** 20)

type Dragged = { gaps: number[]; steps: number[] }
/**
 * Drags the slider to and fro for some seconds. Resolves to the milliseconds between frames, and to those that the page
 * worked for a step, both with the shortest first.
 */
const drag = async (page: Page, ms: number): Promise<Dragged> =>
  (await page.evaluate(`new Promise(resolve => {
    const slider = document.querySelector('input[type=range]')
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
    const gaps = []
    const steps = []
    const sorted = list => list.slice(1).sort((a, b) => a - b)
    const began = performance.now()
    let last = began
    const frame = now => {
      gaps.push(now - last)
      last = now
      if (now - began > ${ms}) return resolve({ gaps: sorted(gaps), steps: sorted(steps) })
      const share = (1 + Math.sin((now - began) / 700)) / 2
      const start = performance.now()
      set.call(slider, String(Math.round(1 + share * (slider.max - 1))))
      slider.dispatchEvent(new Event('input', { bubbles: true }))
      // The page draws in microtasks, and a layout that is asked for is computed at once.
      setTimeout(() => {
        void document.body.offsetHeight
        steps.push(performance.now() - start)
      })
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })`)) as Dragged
const at = (sorted: number[], share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)

const longTask = async (count: number) => {
  // A step with three calls is about eleven events, and a body has at most 10,000 steps and 100,000 values.
  const tools = Array.from({ length: 3 }, () => ({ tool: 'current_time' }))
  const script = Array.from({ length: Math.ceil(count / 11) }, () => ({ tools }))
  const create = {
    user_message_content: 'Say much',
    stream: false,
    background: true,
    agent_config: { agent_id: 'script', script },
  }
  const { id } = (await read(server.api('POST', '/tasks', create))).body.result
  const began = Date.now()
  for (;;) {
    const { body } = await read(server.api('GET', `/tasks?fields=summary&limit=1`))
    if ((body.result as unknown as { status: string }[])[0]?.status === 'completed') break
    assert.ok(Date.now() - began < 900_000, 'the long task ends')
    await new Promise(resolve => setTimeout(resolve, 500))
  }
  const page = await open(`/ui/tasks/${id}`)
  const loading = performance.now()
  await page.locator('.slider').waitFor({ timeout: 180_000 })
  const shownMs = Math.round(performance.now() - loading)
  await page.locator('.task-head .is-completed').waitFor({ timeout: 180_000 })
  const loadedMs = Math.round(performance.now() - loading)
  const { gaps, steps } = await drag(page, 6_000)
  const used = await megabytes(page)
  console.log(`${count} events: shown after ${shownMs} ms, all loaded after ${loadedMs} ms; ${used} MB`)
  console.log(
    `while dragging: frames: median ${at(gaps, 0.5)} ms, p95 ${at(gaps, 0.95)} ms; work of a step: median ${at(steps, 0.5)} ms, p95 ${at(steps, 0.95)} ms, longest ${at(steps, 0.999)} ms`,
  )
  assert.ok(used < mostMegabytes, `the page uses ${used} MB`)
  await page.close()
}

const manyTasks = async () => {
  const page = await open('/ui')
  await page.getByText('Live').waitFor()
  const before = await megabytes(page)
  const body = { user_message_content: 'One of many', stream: false, background: true, client_id: 'echo' }
  let made = 0
  const began = performance.now()
  const maker = async () => {
    while (performance.now() - began < seconds * 1000) {
      await read(server.api('POST', '/tasks', body))
      made++
      const early = (made / perSecond) * 1000 - (performance.now() - began)
      if (early > 0) await new Promise(resolve => setTimeout(resolve, early))
    }
  }
  const frames = page.evaluate(`new Promise(resolve => {
    const gaps = []
    const began = performance.now()
    let last = began
    const frame = now => {
      gaps.push(now - last)
      last = now
      if (now - began > ${seconds * 1000}) resolve(gaps.slice(1).sort((a, b) => a - b))
      else requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })`) as Promise<number[]>
  await Promise.all(Array.from({ length: 32 }, maker))
  const gaps = await frames
  const { body: counts } = await read(server.api('GET', '/tasks?fields=counts'))
  const { total } = counts.result as unknown as { total: number }
  const shown = page.locator('.count', { hasText: 'completed' }).locator('b')
  const until = Date.now() + 60_000
  while ((await shown.textContent())?.replace(/\D/g, '') !== String(total)) {
    assert.ok(Date.now() < until, `the count on the page comes to ${total}`)
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  const used = await megabytes(page)
  console.log(
    `${Math.round(made / seconds)} tasks a second for ${seconds} s: frames: median ${at(gaps, 0.5)} ms, p95 ${at(gaps, 0.95)} ms; ${before} MB before, ${used} MB after`,
  )
  assert.ok((await page.locator('table.tasks tbody tr').count()) <= 100)
  assert.ok(used < before + 100, `the page uses ${used} MB`)
  await page.close()
}

try {
  await longTask(Math.min(10_000, events))
  if (events > 10_000) await longTask(events)
  await manyTasks()
} finally {
  await browser.close()
  await server.end('SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
}
