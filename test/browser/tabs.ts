// Tabs of the console in one browser, and the tasks that they show.
import { once } from 'node:events'
import { createServer, request as requestOf } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { read } from '../support/http.ts'
import type { Api } from '../support/server.ts'
import { openConsole, sees } from './console-page.ts'

/** Creates a task of the agent `echo`, or of a script. Resolves to its id. */
export const say = async (api: Api, message: string, script?: object[]): Promise<string> => {
  const agent_config = script === undefined ? { agent_id: 'echo' } : { agent_id: 'script', script }
  const body = { user_message_content: message, stream: false, background: true, agent_config }
  return (await read(api('POST', '/tasks', body))).body.result.id
}
export const tokenOf = async (api: Api, role: string, user_id?: string) =>
  (await read(api('POST', '/auth/tokens', { role, user_id }))).body as unknown as {
    id: string
    token: string
  }

/** Opens the views in tabs of one browser. The list is opened when there is no view. */
export const openTabs = async (
  t: Test,
  browser: Browser | undefined,
  url: string,
  views: readonly string[],
) => {
  const { page, context, complaints } = await openConsole(t, browser, `${url}/ui${views[0] ?? ''}`)
  const pages = [page]
  for (const view of views.slice(1)) {
    const tab = await context.newPage()
    tab.on('pageerror', error => complaints.push(error.message))
    await tab.goto(`${url}/ui${view}`)
    pages.push(tab)
  }
  return { pages, context, complaints }
}
/** Eight lists: more tabs than a browser opens connections for requests to a host. */
export const lists = Array.from({ length: 8 }, () => '')
export const allSee = (pages: readonly Page[], text: string) =>
  Promise.all(pages.map(page => sees(page, text)))
/** What the head of each page says of its connection. */
export const states = (pages: readonly Page[]) =>
  Promise.all(pages.map(page => page.locator('output.connection').textContent()))

/**
 * A proxy that can refuse WebSockets, and can forget them, as the network does while a machine sleeps: nothing passes any
 * more, and nobody tells the browser.
 */
export const forgetfulProxy = async (t: Test, port: number) => {
  const open = new Set<Socket>()
  let refuses = false
  const target = { port, host: '127.0.0.1' }
  const proxy = createServer((request, response) => {
    const { method, url: path, headers } = request
    const passed = requestOf({ ...target, method, path, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  proxy.on('upgrade', ({ url, rawHeaders }, near: Socket) => {
    if (refuses) return void near.destroy()
    const far = connect(target)
    const lines = [`GET ${url} HTTP/1.1`]
    for (let n = 0; n < rawHeaders.length; n += 2) lines.push(`${rawHeaders[n]}: ${rawHeaders[n + 1]}`)
    far.write(`${lines.join('\r\n')}\r\n\r\n`)
    for (const socket of [near, far]) open.add(socket.on('error', () => {}))
    near.pipe(far).pipe(near)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
    proxy.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    /** Says whether new WebSockets are refused from now on. */
    refuse(isRefused: boolean) {
      refuses = isRefused
    },
    forget() {
      for (const socket of open) socket.unpipe().resume()
    },
  }
}
