// A page of the console in a real browser, signed in, on a server of this process.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { adminToken } from '../support/server.ts'

/** A script with which the console begins signed in. */
export const signedInAs = (token: string): string =>
  `sessionStorage.getItem('reprise-console /') ?? sessionStorage.setItem('reprise-console /', '${JSON.stringify({ token })}')`

/** Opens a view as the owner of the token. `complaints` are the errors of the page, which a test expects to be none. */
export const openConsole = async (
  t: Test,
  browser: Browser | undefined,
  address: string,
  { token = adminToken, ...options }: BrowserContextOptions & { token?: string | null } = {},
) => {
  if (browser === undefined) throw new Error('the browser is gone')
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  t.teardown(() => context.close())
  if (token !== null) await context.addInitScript({ content: signedInAs(token) })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(error.message))
  page.on('dialog', dialog => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', request => {
    const { origin, protocol } = new URL(address)
    const own = protocol === 'file:' ? 'file:' : origin
    if (!request.url().startsWith(own) && !request.url().startsWith('data:'))
      complaints.push(`a request to ${request.url()}`)
  })
  await page.goto(address)
  return { page, context, complaints }
}

/** Opens another view without a load of the page, as somebody does who follows a link. `path`: below the server. */
export const goTo = async (page: Page, path: string): Promise<void> => {
  const go = 'history.pushState(null, "", path); dispatchEvent(new PopStateEvent("popstate"))'
  await page.evaluate(`{ const path = ${JSON.stringify(path)}; ${go} }`)
}

/** Waits for a text that a person sees. */
export const sees = (page: Page, text: string | RegExp) =>
  page.getByText(text).filter({ visible: true }).first().waitFor({ timeout: 60_000 })

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
type Violation = { id: string; nodes: { target: string[]; failureSummary: string }[] }
/** What axe finds wrong with a page. `rules`: the names of the rules to check; all without it. */
export const faultsOf = async (page: Page, rules?: readonly string[]): Promise<string[]> => {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  const options = JSON.stringify(rules === undefined ? {} : { runOnly: rules })
  const run = `axe.run(document, ${options}).then(({violations}) => violations)`
  const found = (await page.evaluate(run)) as Violation[]
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} ${nodes[0]?.failureSummary}`)
}
/** By how many pixels a page is wider than its window. */
export const tooWide = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
