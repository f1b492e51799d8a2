// The page at /docs in a real browser: with everything unfolded it can be read on a phone and on a desk.
import t from 'tap'
import { apiVersion } from '../../src/contract/responses.ts'
import { version } from '../../src/platform/version.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { faultsOf } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false

/** What makes a reader scroll sideways, or read a text of one word a line. Runs in the page. */
const hardToRead = `(() => {
  for (const details of document.querySelectorAll('details')) details.open = true
  const { scrollWidth, clientWidth } = document.documentElement
  const texts = [...document.querySelectorAll('td, p, li')].filter(text => text.getClientRects().length > 0)
  const clipped = texts.filter(text => text.scrollWidth > text.clientWidth + 1)
  const squeezed = texts.filter(text => text.clientWidth < 120 && text.textContent.length > 40)
  return {
    pixelsTooWide: scrollWidth - clientWidth,
    clipped: clipped.map(text => text.textContent),
    squeezed: squeezed.map(text => text.textContent),
    isWholePage: texts.length > 500,
  }
})()`

for (const width of [400, 1280]) {
  t.test(`the page at /docs can be read at ${width} px`, { skip }, async t => {
    const { url } = await serveHere(t, {})
    const page = await browser?.newPage({ viewport: { width, height: 900 } })
    if (page === undefined) throw new Error('the browser is gone')
    t.teardown(() => page.close())
    await page.goto(`${url}/docs`)
    const closed = (await page.evaluate('document.documentElement.scrollHeight')) as number
    t.ok(closed < 3000, `with everything closed it is ${closed} pixels high`)
    await page.getByText(`API version ${apiVersion}, server version ${version}`).waitFor()
    t.same(await page.evaluate(hardToRead), {
      pixelsTooWide: 0,
      clipped: [],
      squeezed: [],
      isWholePage: true,
    })
  })
}

t.test(
  'a field of a body is added with a press, and a token is kept until the tab is closed',
  {
    skip,
  },
  async t => {
    const { url } = await serveHere(t, {})
    const context = await browser?.newContext()
    if (context === undefined) throw new Error('the browser is gone')
    t.teardown(() => context.close())
    const page = await context.newPage()
    await page.goto(`${url}/docs#createTask`)
    const create = page.locator('#createTask')
    await create.locator('summary', { hasText: 'Fields of the body' }).click()
    t.ok(await create.locator('.fields td', { hasText: 'user_message_content' }).first().isVisible())
    await create.getByRole('button', { name: 'session_id', exact: true }).click()
    await page.keyboard.insertText('"mine"')
    const body = JSON.parse(await create.locator('textarea').inputValue())
    t.equal(body.session_id, 'mine')
    t.match(await create.locator('.sample').textContent(), '"session_id": "mine"')
    await create.locator('textarea').fill('{')
    await create.getByRole('button', { name: 'user_id', exact: true }).click()
    t.equal(await create.locator('.status').textContent(), 'The body is no JSON, so no field can be added.')

    await page.locator('#search').fill('fork a task')
    await page.getByRole('heading', { name: 'Cron jobs' }).waitFor({ state: 'hidden' })
    t.ok(await page.getByRole('heading', { name: 'Tasks', exact: true }).isVisible(), 'a group with a match')
    t.notOk(await page.locator('#schema-Block').isVisible(), 'schemas are searched, too')
    t.same(await faultsOf(page), [])
    await page.locator('#search').fill('')
    await page.locator('#Cron-jobs').waitFor()
    t.notOk(await page.locator('#schema-Block').isVisible(), 'what was closed is closed again')
    t.ok(await create.isVisible(), 'and what was open is open')

    await page.locator('#token').fill(adminToken)
    await page.locator('#token').press('Tab')
    await page.reload()
    t.equal(await page.locator('#token').inputValue(), adminToken)
    await page.goto(`${url}/docs#getOwnToken`)
    await page.locator('#getOwnToken').getByRole('button', { name: 'Send' }).click()
    await page.locator('#getOwnToken .status', { hasText: '200' }).waitFor()
    const other = await (await browser?.newContext())?.newPage()
    await other?.goto(`${url}/docs`)
    t.equal(await other?.locator('#token').inputValue(), '', 'another tab does not have it')
    await other?.context().close()
  },
)

t.test('the messages of every stream are on the page, with their fields', { skip }, async t => {
  const { url } = await serveHere(t, {})
  const page = await browser?.newPage()
  if (page === undefined) throw new Error('the browser is gone')
  t.teardown(() => page.close())
  const { components } = (await (await fetch(`${url}/asyncapi.json`)).json()) as {
    components: { messages: Record<string, object> }
  }
  await page.goto(`${url}/docs#message-TaskStatusChanged`)
  await page.locator('#message-TaskStatusChanged').getByText('new_status', { exact: true }).waitFor()
  for (const key of Object.keys(components.messages))
    t.equal((await page.locator(`[id="message-${key}"] table`).count()) > 0, true, key)
  t.same(
    await page.evaluate(
      `[...document.querySelectorAll('a[href^="#"]')].map(link => link.hash.slice(1)).filter(id => !document.getElementById(id))`,
    ),
    [],
    'every link of the page leads to a place on it',
  )
})

t.test('a link opens what it names, and the filter finds operations in closed groups', { skip }, async t => {
  const { url } = await serveHere(t, {})
  const page = await browser?.newPage({ viewport: { width: 400, height: 900 } })
  if (page === undefined) throw new Error('the browser is gone')
  t.teardown(() => page.close())
  await page.goto(`${url}/docs#schema-Task`)
  const inSight = async (id: string) => {
    await page.locator(id).waitFor()
    await page.waitForFunction(
      `(() => { const {top} = document.querySelector('${id}').getBoundingClientRect(); return top >= 0 && top < 600 })()`,
    )
    t.equal(await page.locator(id).getAttribute('open'), '', `${id} is open`)
  }
  await inSight('#schema-Task')
  t.equal(await page.locator('.group[open]').count(), 1, 'everything else stays closed')
  await page.locator('#schema-Task summary').first().click()
  t.notOk(await page.locator('#schema-Task > table').isVisible())
  await page.evaluate('location.hash = "#forkTask"')
  await inSight('#forkTask')
  t.same(await faultsOf(page), [])
  const groups = page.locator('.group > summary')
  await page.locator('#search').fill('redeliver')
  await page.locator('#found', { hasText: /^[1-9]\d* found$/ }).waitFor()
  t.ok(await page.locator('#redeliverWebhook, [id*=edeliver]').first().isVisible(), 'its group has opened')
  t.ok((await groups.filter({ visible: true }).count()) < 5)
  await page.locator('#search').fill('no such words at all')
  await page.locator('#found', { hasText: '0 found' }).waitFor()
  t.equal(await groups.filter({ visible: true }).count(), 0)
})
