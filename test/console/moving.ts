// The moving pictures of the README: the slider of a task, and `reprise demo crash`, each from real frames of a browser.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { signedInAs } from '../browser/console-page.ts'
import { adminToken } from '../support/server.ts'
import { apngOf, type Frame } from './apng.ts'

const size = { width: 900, height: 560 }
/** Milliseconds for which the last frame stays. */
const endMs = 3000

const withPage = async (browser: Browser, use: (page: Page) => Promise<Frame[]>): Promise<Buffer> => {
  const context = await browser.newContext({ viewport: size, colorScheme: 'dark', reducedMotion: 'reduce' })
  await context.addInitScript({ content: signedInAs(adminToken) })
  const frames = await use(await context.newPage())
  await context.close()
  return apngOf(frames)
}

const sliderMs = 450
const sliderSteps = 10
/** Somebody drags the slider through the history of a task. */
export const movingSlider = (browser: Browser, task: string): Promise<Buffer> =>
  withPage(browser, async page => {
    await page.goto(`${task}?event=0`)
    const slider = page.getByRole('slider')
    await slider.waitFor()
    await page.waitForTimeout(700)
    const last = Number(await slider.getAttribute('max'))
    const frames: Frame[] = []
    for (let step = 0; step <= sliderSteps; step++) {
      await slider.fill(String(Math.round(1 + (step / sliderSteps) * (last - 1))))
      await page.waitForTimeout(400) // until the hash of the state is there
      frames.push({ png: await page.screenshot(), ms: step === sliderSteps ? endMs : sliderMs })
    }
    return frames
  })

type Shown = { text: string; at: number }
const gatherMs = 250
const longestMs = 1200

/** Runs `reprise demo crash`, and resolves to what it has printed at each moment. */
const crash = async (): Promise<Shown[]> => {
  const bin = path.resolve(import.meta.dirname, '../../bin/reprise.mjs')
  const child = spawn(process.execPath, [bin, 'demo', 'crash'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const shown: Shown[] = []
  let text = '$ npx reprise demo crash\n'
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more
    const [at, before] = [performance.now(), shown.at(-1)]
    if (before !== undefined && at - before.at < gatherMs) before.text = text
    else shown.push({ text, at })
  })
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`the demo ended with ${code}: ${text}`)
  return shown
}

const terminal = `<body style="margin:0;background:#101318;color:#e4e8ee">
<pre style="margin:16px 20px;font:13.5px/1.5 ui-monospace,'DejaVu Sans Mono',monospace;white-space:pre-wrap"></pre>`

/** A server is killed and started again, and its task continues. */
export const movingCrash = (browser: Browser): Promise<Buffer> =>
  withPage(browser, async page => {
    const shown = await crash()
    await page.setContent(terminal)
    const frames: Frame[] = []
    for (const [n, { text, at }] of shown.entries()) {
      await page.locator('pre').evaluate((element, content) => {
        element.textContent = content
      }, text)
      const next = shown[n + 1]
      const ms = next === undefined ? endMs : Math.min(longestMs, Math.round(next.at - at))
      frames.push({ png: await page.screenshot(), ms })
    }
    return frames
  })
