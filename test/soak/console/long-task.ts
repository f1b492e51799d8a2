// A task with very many events: when the page shows it, how smoothly its slider moves, and the memory of the page.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { read } from '../../support/http.ts'
import { at, megabytes, open, type Soak } from './open.ts'

const mostMegabytes = 700

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

/** Creates a task with so many events, and resolves to its id when it has ended. */
const make = async ({ server }: Soak, count: number): Promise<string> => {
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
    if ((body.result as unknown as { status: string }[])[0]?.status === 'completed') return id
    assert.ok(Date.now() - began < 900_000, 'the long task ends')
    await new Promise(resolve => setTimeout(resolve, 500))
  }
}

export const longTask = async (soak: Soak, count: number): Promise<void> => {
  const page = await open(soak, `/ui/tasks/${await make(soak, count)}`)
  const loading = performance.now()
  await page.locator('.slider').waitFor({ timeout: 180_000 })
  const shownMs = Math.round(performance.now() - loading)
  await page.locator('.task-head .is-completed').waitFor({ timeout: 180_000 })
  const loadedMs = Math.round(performance.now() - loading)
  const { gaps, steps } = await drag(page, 6_000)
  const used = await megabytes(page)
  console.log(`${count} events: shown after ${shownMs} ms, all loaded after ${loadedMs} ms; ${used} MB`)
  console.log(
    `while dragging: frames: median ${at(gaps, 0.5)} ms, p95 ${at(gaps, 0.95)} ms; work of a step: median ${at(steps, 0.5)} ms, p95 ${at(steps, 0.95)} ms, longest ${at(steps, 1)} ms`,
  )
  assert.ok(used < mostMegabytes, `the page uses ${used} MB`)
  await page.context().close()
}
