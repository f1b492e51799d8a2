// Many tabs of the console in one real browser, over HTTP/1.1, where a browser opens at most six connections for requests to
// a host: all are live, and stay live when other tabs close, or users and tokens change.
import type { Page } from 'playwright-core'
import t from 'tap'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { openConsole, sees } from './console-page.ts'
import { allSee, lists, openTabs, say, states, tokenOf } from './tabs.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false

t.test('eight lists are live, and closed tabs take nothing from the others', { skip }, async t => {
  const { url, api } = await serveHere(t)
  const { pages, complaints } = await openTabs(t, browser, url, lists)
  await allSee(pages, 'Live')
  await say(api, 'Everybody sees this')
  await allSee(pages, 'Everybody sees this')
  const [first, ...others] = pages as [Page, ...Page[]]
  // Ordinary requests are answered, also those of the first tab.
  await first.locator('#new-task').fill('Started in a tab')
  await first.locator('#new-task').press('Enter')
  await allSee(others, 'Started in a tab')
  await first.close()
  await others[0]?.close()
  const left = others.slice(1)
  await say(api, 'Those that are left see this')
  await allSee(left, 'Those that are left see this')
  t.same(new Set(await states(left)), new Set(['Live']))
  t.same(complaints, [])
})

t.test('eight views of different kinds are live, with a task that works', { skip }, async t => {
  const { url, api } = await serveHere(t)
  const script = [{ message: 'The first half.' }, { sleep_ms: 3_000 }, { message: 'The second half.' }]
  const ids = await Promise.all(Array.from({ length: 4 }, (_, n) => say(api, `Task ${n}`, script)))
  const of = (id = '') => `/tasks/${id}`
  const compared = `/diff/${ids[0]}/${ids[1]}`
  const views = [...ids.map(of), compared, '/env', '/cron', '']
  const { pages, complaints } = await openTabs(t, browser, url, views)
  const works = pages.slice(0, 4)
  await allSee(works, 'The second half.')
  for (const page of works) await page.locator('.task-head .is-completed').waitFor()
  await say(api, 'The list goes on')
  await sees(pages.at(-1) as Page, 'The list goes on')
  t.same(await states(pages.slice(-3)), ['Live', 'Live', 'Live'])
  t.same(complaints, [])
})

t.test('each tab has the user who has signed in there', { skip }, async t => {
  const { url, api } = await serveHere(t)
  const { pages } = await openTabs(t, browser, url, ['', '', ''])
  const [ann, admin] = pages as [Page, Page]
  const asAnn = await tokenOf(api, 'user', 'ann')
  const asBob = await tokenOf(api, 'user', 'bob')
  await ann.getByRole('button', { name: 'Sign out' }).click()
  await ann.getByLabel('Access token').fill(asAnn.token)
  await ann.keyboard.press('Enter')
  await sees(ann, 'Live')
  await say(apiOf(url, asBob.token), 'Bob has a secret')
  await say(apiOf(url, asAnn.token), 'Ann has a question')
  await allSee([admin, ann], 'Ann has a question')
  await sees(admin, 'Bob has a secret')
  t.equal(await ann.getByText('Bob has a secret').count(), 0)

  await read(api('DELETE', `/auth/tokens/${asAnn.id}`))
  await sees(ann, 'This token is no longer valid.')
  await say(api, 'The others go on')
  await sees(admin, 'The others go on')
})

t.test('a task whose user has too many connections goes on when one has closed', { skip }, async t => {
  const { url, api } = await serveHere(t, { QUOTA_SOCKETS: '1' })
  const { token } = await tokenOf(api, 'user', 'ann')
  const id = await say(apiOf(url, token), 'Wait', [{ sleep_ms: 600_000 }])
  const first = await openConsole(t, browser, `${url}/ui`, { token })
  await sees(first.page, 'Live')
  const second = await openConsole(t, browser, `${url}/ui/tasks/${id}`, { token })
  await sees(second.page, 'Connection lost, trying again')
  await first.page.close()
  await sees(second.page, 'Live')
  await read(apiOf(url, token)('POST', `/tasks/${id}/cancel`))
  await second.page.locator('.task-head .is-canceled').waitFor()
  t.same(await states([second.page]), ['Complete'])
})
