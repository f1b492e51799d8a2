// A page of the console for the soak test, and what is measured of it.
import type { Browser, Page } from 'playwright-core'
import { signedInAs } from '../../browser/console-page.ts'
import { adminToken, type ServerProcess } from '../../support/server.ts'

export type Soak = { browser: Browser; server: ServerProcess }

export const open = async ({ browser, server }: Soak, where: string): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await context.addInitScript({ content: signedInAs(adminToken) })
  const page = await context.newPage()
  await page.goto(server.url + where)
  return page
}

export const megabytes = async (page: Page): Promise<number> =>
  Math.round(((await page.evaluate('performance.memory.usedJSHeapSize')) as number) / 2 ** 20)

/** The value below which a share of the values is. `sorted`: the smallest first. */
export const at = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
