// The first load of the console: how much comes over the network, and when the page shows something.
import assert from 'node:assert/strict'
import { at, open, type Soak } from './open.ts'

const times = 7
const mostBytes = 100 * 1024

type Load = { paintMs: number; bytes: number; files: number }

/** A browser context is new each time, so nothing is cached. */
const loadOnce = async (soak: Soak): Promise<Load> => {
  const page = await open(soak, '/ui')
  await page.getByText('Needs attention').or(page.getByText('No tasks yet')).first().waitFor()
  const found = (await page.evaluate(`(() => {
    const loaded = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/ui/'))
    const page = performance.getEntriesByType('navigation')[0]
    return {
      paintMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
      bytes: loaded.reduce((sum, file) => sum + file.encodedBodySize, page.encodedBodySize),
      files: loaded.length + 1,
    }
  })()`)) as Load
  await page.context().close()
  return found
}

export const firstLoad = async (soak: Soak): Promise<void> => {
  const loads: Load[] = []
  for (let n = 0; n < times; n++) loads.push(await loadOnce(soak))
  const paints = loads.map(({ paintMs }) => paintMs).sort((a, b) => a - b)
  const { bytes = 0, files = 0 } = loads[0] ?? {}
  console.log(
    `first load: ${Math.round(bytes / 1024)} KB in ${files} files; first paint: shortest ${at(paints, 0)} ms, median ${at(paints, 0.5)} ms, longest ${at(paints, 1)} ms`,
  )
  assert.ok(bytes < mostBytes, `the first load has ${bytes} bytes`)
}
