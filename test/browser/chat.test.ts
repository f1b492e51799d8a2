// The chat page in a real browser: it creates tasks over a WebSocket, streams their text, answers their tools, cancels.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { idsOf, read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false

const html = readFileSync(path.resolve(import.meta.dirname, '../../examples/chat.html'))

/** Serves the page, and nothing else: another origin than the API. */
const servePage = async (t: Test): Promise<string> => {
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What leads to the server, and can be cut. */
const cable = async (t: Test, url: string) => {
  const sockets = new Set<Socket>()
  const proxy = createTcpServer(incoming => {
    const outgoing = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(() => {
    cutAll()
    return new Promise(resolve => proxy.close(resolve))
  })
  return { far: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, cutAll }
}

const playing = (...script: object[]) => ({ agent_config: { agent_id: 'script', script } })
const textOf = (page: Page, from: string) => page.locator(`li[data-from=${from}]`)
const shows = (page: Page, from: string, text: string | RegExp) =>
  textOf(page, from).filter({ hasText: text }).first().waitFor({ timeout: 20_000 })
const stateIs = (page: Page, text: string | RegExp) =>
  page.locator('output').filter({ hasText: text }).waitFor({ timeout: 20_000 })

/** A page that is connected, as a user; `create` is added to its creates. */
const given = async (t: Test, create: object, { isAllowed = true } = {}) => {
  if (browser === undefined) throw new Error(noBrowser)
  const origin = await servePage(t)
  const server = await serveHere(t, isAllowed ? { ALLOWED_ORIGINS: origin } : {})
  const made = await read(server.api('POST', '/auth/tokens', { role: 'user', user_id: 'ann' }))
  const { id: tokenId, token } = made.body as unknown as { id: string; token: string }
  const { far, cutAll } = await cable(t, server.url)
  const context = await browser.newContext()
  t.teardown(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(error.message))
  const hash = new URLSearchParams({ server: far, token, create: JSON.stringify(create) })
  await page.goto(`${origin}/#${hash}`)
  const say = async (text: string) => {
    await page.locator('#ask input').fill(text)
    await page.locator('#ask button').first().click()
  }
  return { ...server, page, say, complaints, cutAll, token, tokenId }
}

t.test(
  'it creates a task, streams its text, answers its tool, and goes on in the session',
  { skip },
  async t => {
    const question = 'Which <b>colour</b>?'
    const { api, page, say, complaints, token } = await given(
      t,
      playing(
        { message: 'Let me ask you something.', delta_ms: 1 },
        { tool: 'ask_user', arguments: { question } },
        { message: 'Blue it is.', delta_ms: 1 },
      ),
    )
    await stateIs(page, 'Connected')
    t.notMatch(page.url(), token)
    await say('Paint my house')
    await shows(page, 'agent', 'Let me ask you something.')
    await shows(page, 'note', question)
    t.equal(await page.locator('li b').count(), 0, 'text is shown as text')
    await page.locator('#answer input').fill('blue')
    await page.locator('#answer button').click()
    await shows(page, 'agent', 'Blue it is.')
    const listed = async () => (await read(api('GET', '/tasks'))).body.result as unknown as Listed[]
    await until(async () => (await listed())[0]?.status === 'completed')
    await page.locator('#ask input:enabled').waitFor()
    await say('And the door')
    await until(() =>
      textOf(page, 'agent')
        .count()
        .then(count => count >= 3),
    )
    const [second, first] = await listed()
    t.equal(second?.session_id, first?.session_id)
    t.equal(second?.user_id, 'ann')
    t.same(complaints, [])
  },
)
type Listed = { id: string; status: string; session_id: string; user_id: string }

t.test('it cancels a task while its text is coming', { skip }, async t => {
  const script = playing({ message: 'word '.repeat(200), delta_ms: 50 })
  const { api, page, say, complaints } = await given(t, script)
  await stateIs(page, 'Connected')
  await say('Talk')
  await shows(page, 'agent', 'word word')
  await page.locator('#cancel').click()
  await shows(page, 'note', 'canceled')
  const [id] = idsOf(await read(api('GET', '/tasks')))
  const { status, output } = (await read(api('GET', `/tasks/${id}`))).body.result
  t.equal(status, 'canceled')
  const shown = (await textOf(page, 'agent').first().textContent()) ?? ''
  const [{ text = '' } = {}] = (output[0]?.message_content ?? []) as { text?: string }[]
  t.equal(shown, text, 'what was shown is what was kept')
  await page.locator('#ask input:enabled').waitFor()
  t.same(complaints, [])
})

t.test('a connection that is lost is taken up again where it was', { skip }, async t => {
  const words = Array.from({ length: 60 }, (_, n) => `w${n}`).join(' ')
  const { page, say, complaints, cutAll, tokenId, api } = await given(
    t,
    playing({ message: words, delta_ms: 50 }),
  )
  await stateIs(page, 'Connected')
  await say('Count')
  await shows(page, 'agent', 'w10 ')
  cutAll()
  await stateIs(page, 'Connection lost')
  await stateIs(page, 'Connected')
  await shows(page, 'agent', 'w59')
  t.equal((await textOf(page, 'agent').first().textContent())?.trim(), words, 'no word is lost or doubled')
  await read(api('DELETE', `/auth/tokens/${tokenId}`))
  await stateIs(page, 'Refused (4001)')
  t.same(complaints, [])
})

t.test('from an origin that nobody named it is refused', { skip }, async t => {
  const { page } = await given(t, {}, { isAllowed: false })
  await stateIs(page, 'Refused (4003)')
  await shows(page, 'note', 'this origin may not connect')
})
