// The console and /docs in a real browser, behind a real nginx that serves them below a path, with TLS or without.
import t from 'tap'
import { freePort } from '../../src/platform/free-port.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read } from '../support/http.ts'
import { nginxBefore, noNginx, noOpenssl } from '../support/nginx.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { openConsole, sees } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : noNginx

/** The body of a task that says something, and a moment later something more. */
const talks = (message: string) => ({
  user_message_content: message,
  stream: false,
  background: true,
  agent_config: {
    agent_id: 'script',
    script: [{ message: 'The first half.' }, { sleep_ms: 2_000 }, { message: 'The second half.' }],
  },
})

const ways = [
  { is: 'with TLS and PUBLIC_URL', isSecure: true, isPassedOn: false, isKnown: true },
  { is: 'without a variable', isSecure: false, isPassedOn: false, isKnown: false },
  { is: 'with the path passed on', isSecure: false, isPassedOn: true, isKnown: true },
]
for (const { is, isSecure, isPassedOn, isKnown } of ways) {
  const why = skip || (isSecure && noOpenssl)
  t.test(`behind nginx, ${is}, somebody walks through the console`, { skip: why }, async t => {
    const port = await freePort()
    const known = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}/reprise`
    const { url: upstream, api, consoleLink } = await serveHere(t, isKnown ? { PUBLIC_URL: known } : {})
    const { url } = await nginxBefore(t, upstream, { port, isSecure, isPassedOn })
    const { page, context, complaints } = await openConsole(t, browser, url + consoleLink(), {
      token: null,
      ignoreHTTPSErrors: true,
    })
    context.on('response', answer => {
      if (!answer.url().startsWith(url) || answer.status() >= 400)
        complaints.push(`${answer.status()} ${answer.url()}`)
    })
    await sees(page, 'Start a task')
    t.equal(page.url(), `${url}/ui`, 'the link has signed in')
    await sees(page, 'Live')

    const { id } = (await read(api('POST', '/tasks', talks('Tell it in two halves')))).body.result
    await page.getByRole('link', { name: 'Tell it in two halves' }).first().click()
    t.equal(page.url(), `${url}/ui/tasks/${id}`)
    await sees(page, 'The first half.')
    await page.reload()
    await sees(page, 'The second half.')
    await page.locator('.task-head .is-completed').waitFor()
    await page.goBack()
    await sees(page, 'Start a task')

    for (const name of ['Environments', 'System']) await page.getByRole('link', { name }).click()
    t.equal(page.url(), `${url}/ui/system`)
    await sees(page, 'Sandbox')

    const tab = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Tasks', exact: true }).click({ modifiers: ['ControlOrMeta'] })
    const opened = await tab
    await opened.waitForLoadState()
    t.equal(opened.url(), `${url}/ui`, 'a link opens in a new tab')

    const docsTab = context.waitForEvent('page')
    await page.getByRole('link', { name: 'API' }).click()
    const docs = await docsTab
    await docs.waitForLoadState()
    t.equal(docs.url(), `${url}/docs`)
    await docs.goto(`${url}/docs#getOwnToken`)
    await docs.locator('#token').fill(adminToken)
    const form = docs.locator('#getOwnToken form')
    t.match(await form.locator('.sample').textContent(), `'${url}/v1/auth/token'`)
    await form.getByRole('button', { name: 'Send' }).click()
    await form.locator('.answer', { hasText: '"role": "admin"' }).waitFor()
    t.same(complaints, [])
  })
}

t.test('another server below another path of the host does not get the token', { skip }, async t => {
  const [one, other] = [await serveHere(t), await serveHere(t, { ADMIN_TOKEN: 'another-admin-token' })]
  const port = await freePort()
  const first = await nginxBefore(t, one.url, { port, location: '/one/', beside: ['/other/', other.url] })
  const { page } = await openConsole(t, browser, first.url + one.consoleLink(), { token: null })
  await sees(page, 'Start a task')
  const sent: string[] = []
  page.on('request', request => {
    if (request.url().includes('/other/')) sent.push(request.headers().authorization ?? '')
  })
  await page.goto(`${first.origin}/other/ui`)
  await sees(page, 'Paste an access token')
  t.ok(sent.length >= 3)
  t.same(new Set(sent), new Set(['']))
})

const withoutSockets = [
  { is: 'forwards no WebSocket', withoutSockets: true },
  { is: 'names another host', host: 'another.example' },
]
for (const { is, ...wish } of withoutSockets) {
  t.test(`behind a proxy that ${is}, the console reads every few seconds`, { skip }, async t => {
    const { url: upstream, api } = await serveHere(t)
    const { url } = await nginxBefore(t, upstream, { location: '/', ...wish })
    const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
    await sees(page, 'Read every few seconds')
    const { id } = (await read(api('POST', '/tasks', talks('Tell it in two halves')))).body.result
    await sees(page, 'Tell it in two halves')
    await page.goto(`${url}/ui/tasks/${id}`)
    await sees(page, 'The second half.')
    await page.locator('.task-head .is-completed').waitFor()
    t.same(complaints, [])
  })
}
