// Behind a real nginx with the configuration of deploy/nginx.conf: below a path of its host, in all the ways in which that
// is done; and with headers that anybody may send.
import { hash } from 'node:crypto'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { operations } from '../../src/documents/operations.ts'
import { ownPaths, publicUrlOf, withoutPrefix } from '../../src/http/server/public-url.ts'
import { freePort } from '../../src/platform/free-port.ts'
import { exchange, read } from '../support/http.ts'
import { nginxBefore, noNginx } from '../support/nginx.ts'
import { adminToken, apiOf, refusedStart, runReprise, serveHere, spawnServer } from '../support/server.ts'
import { follow } from '../support/sse.ts'

const html = { accept: 'text/html' }
const signed = { authorization: `Bearer ${adminToken}` }
const create = { user_message_content: 'Hello', client_id: 'echo' }

/** What a page loads, and where its links lead. */
const targetsOf = (text: string, address: string): string[] =>
  [...text.matchAll(/<(?:script|link|a)[^>]*(?:src|href)="([^"#][^"]*)"/g)].map(
    ([, to = '']) => new URL(to, address).href,
  )

const pages = ['/ui', '/ui/', '/ui/tasks/some-id', '/ui/env/a/b?event=3&q=/x/y', '/docs']
const pagesLoad = async (t: Test, url: string) => {
  const all = new Set<string>()
  for (const page of pages) {
    const targets = targetsOf(await (await fetch(url + page)).text(), url + page)
    t.ok(targets.length >= 3, `${page} names its files`)
    for (const target of targets) all.add(target)
  }
  for (const target of all) {
    t.ok(target.startsWith(`${url}/`), target)
    t.equal((await fetch(target)).status, 200, target)
  }
  t.equal(all.size, 10, 'all pages name the same files')
  t.match(await (await fetch(`${url}/`)).json(), { console: /\/ui$/, api: /\/v1$/ })
  for (const root of [`${url}/`, url])
    t.equal((await fetch(root, { headers: html })).url, `${url}/ui`, `${root} leads to the console`)
}

const streamsArrive = async (t: Test, url: string) => {
  const sleeps = { agent_id: 'script', script: [{ message: 'now' }, { sleep_ms: 600_000 }] }
  const body = { user_message_content: 'x', stream: true, on_disconnect: 'cancel', agent_config: sleeps }
  const stream = await follow(apiOf(url)('POST', '/tasks', body))
  await stream.until((_, text) => text.includes('now'))
  t.pass('a stream arrives while its task still works')
  await stream.cut()
  return stream.response
}

/** Resolves to the first answer of /ws to a page of this origin. */
const socketSays = async (url: string, origin = new URL(url).origin) => {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, { origin })
  const heard = once(socket, 'message')
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'auth', token: adminToken }))
  const [said] = (await heard) as [Buffer]
  socket.terminate()
  return JSON.parse(said.toString()) as { type: string }
}

/** Addresses in headers and documents lead to the server. */
const addressesLead = async (t: Test, url: string, streamed: Response) => {
  const leads = async (address: string | undefined | null, what: string) =>
    t.equal(
      (await fetch(new URL(address ?? '', url), { headers: signed })).status,
      200,
      `${what}: ${address}`,
    )
  await leads(streamed.headers.get('content-location'), 'Content-Location')
  await read(apiOf(url)('POST', '/tasks', { ...create, stream: false }))
  const first = await apiOf(url)('GET', '/tasks?limit=1')
  await leads(/^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1], 'Link')
  const openApi = (await (await fetch(`${url}/openapi.json`)).json()) as { servers: { url: string }[] }
  t.equal(new URL(openApi.servers[0]?.url ?? '', `${url}/openapi.json`).href.replace(/\/$/, ''), url)
  const asyncApi = (await (await fetch(`${url}/asyncapi.json`)).json()) as {
    servers: { local: { host: string; pathname?: string } }
  }
  const { host, pathname = '' } = asyncApi.servers.local
  t.equal(`http://${host}${pathname}`, url)
}

type Row = { is: string; location: string; publicPath?: string; isPassedOn?: boolean; host?: string }
const ways: Row[] = [
  { is: 'below a path, without a variable', location: '/reprise/' },
  { is: 'below a path, with PUBLIC_URL', location: '/reprise/', publicPath: '/reprise' },
  {
    is: 'below a path, with a slash at the end of PUBLIC_URL',
    location: '/reprise/',
    publicPath: '/reprise/',
  },
  { is: 'below a path of two parts, without a variable', location: '/a/b/' },
  { is: 'below a path of two parts, with PUBLIC_URL', location: '/a/b/', publicPath: '/a/b' },
  {
    is: 'with a proxy that passes the path on',
    location: '/reprise/',
    publicPath: '/reprise',
    isPassedOn: true,
  },
  { is: 'with a location without a slash', location: '/a/b', publicPath: '/a/b', isPassedOn: true },
  {
    is: 'below a path that ends like one of the server',
    location: '/tools/ui/',
    publicPath: '/tools/ui',
  },
  {
    is: 'with a proxy that names no port in Host',
    location: '/reprise/',
    publicPath: '/reprise',
    host: '$host',
  },
  { is: 'at the root of a host, without a variable', location: '/' },
  { is: 'at the root of a host, with PUBLIC_URL', location: '/', publicPath: '' },
]

for (const { is, location, publicPath, isPassedOn = false, host } of ways) {
  t.test(`${is}, pages, streams and sockets work`, { skip: noNginx }, async t => {
    const port = await freePort()
    const env = publicPath === undefined ? {} : { PUBLIC_URL: `http://127.0.0.1:${port}${publicPath}` }
    const server = await serveHere(t, env)
    const { url } = await nginxBefore(t, server.url, { port, location, isPassedOn, ...(host && { host }) })
    await pagesLoad(t, url)
    const streamed = await streamsArrive(t, url)
    t.match(await socketSays(url), { type: 'authenticated' }, 'a page of this host may open /ws')
    t.match(
      await socketSays(url, 'https://evil.example'),
      { type: 'error' },
      'a page of another host may not',
    )
    if (publicPath !== undefined) await addressesLead(t, url, streamed)
    t.equal((await fetch(`${server.url}/ui`)).status, 200, 'it can be reached without the proxy, too')
    t.same(server.lines, [])
  })
}

t.test('a body of 3 MiB passes nginx, which allows one by default', { skip: noNginx }, async t => {
  const server = await serveHere(t)
  const { url } = await nginxBefore(t, server.url)
  const long = { ...create, stream: false, user_message_content: 'x'.repeat(3 * 2 ** 20) }
  t.equal((await read(apiOf(url)('POST', '/tasks', long))).status, 200)
})

t.test('what an operator sees of a proxy that is set up wrongly', { skip: noNginx }, async t => {
  const server = await serveHere(t)
  const noRoute = { code: -32601, message: 'the server has no route for this path' }
  const passesOn = await nginxBefore(t, server.url, { isPassedOn: true })
  t.match(await read(fetch(`${passesOn.url}/ui`)), { status: 404, body: noRoute }, 'the path is left in')
  const cutsShort = await nginxBefore(t, server.url, { location: '/reprise' })
  t.match(await read(fetch(`${cutsShort.url}/ui`)), { status: 404, body: noRoute }, 'a slash is left over')
  const limits = await nginxBefore(t, server.url, { without: ['client_max_body_size 0;'] })
  const long = { ...create, stream: false, user_message_content: 'x'.repeat(2 * 2 ** 20) }
  const refused = await read(apiOf(limits.url)('POST', '/tasks', long))
  t.match(refused, { status: 413, text: /<html>/ }, 'a limit of nginx')
})

t.test('the printed addresses and the link that signs in are the public ones', async t => {
  const dataDir = t.testdir()
  const PUBLIC_URL = 'https://example.com/reprise'
  const server = await spawnServer(t, dataDir, { PUBLIC_URL })
  t.match(server.stdout(), `Console    ${PUBLIC_URL}/ui\n`)
  t.match(server.stdout(), `API        ${PUBLIC_URL}/v1\n`)
  t.match(
    server.stdout(),
    `curl -N ${server.url}/v1/tasks`,
    'a command for this machine goes to the server itself',
  )
  // An operator's shell does not have the variables of a service.
  const { code, stdout } = await runReprise(['console'], { DATA_DIR: dataDir, ADMIN_TOKEN: adminToken })
  t.equal(code, 0)
  t.match(stdout, /^https:\/\/example\.com\/reprise\/ui#login=rl_[\w-]+\n$/)
})

t.test('nobody can change an address by a header', async t => {
  const answersOf = async (url: string, given: Record<string, string> = {}) => {
    const seen: unknown[] = []
    for (const path of ['/', ...pages, '/openapi.json', '/asyncapi.json']) {
      const answer = await fetch(url + path, { headers: { ...html, ...given }, redirect: 'manual' })
      const { 'x-request-id': _, date, ...headers } = Object.fromEntries(answer.headers)
      seen.push([path, answer.status, headers, hash('sha256', await answer.text())])
    }
    return seen
  }
  const hostile = [
    '//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/"><script>alert(1)</script>',
  ]
  for (const env of [{}, { PUBLIC_URL: 'https://example.com/reprise' }] as Record<string, string>[]) {
    const { url } = await serveHere(t, env)
    const plain = await answersOf(url)
    for (const value of [...hostile, "/'onload='alert(1)", '/a\tb', '/reprise']) {
      const given = {
        'x-forwarded-prefix': value,
        'x-forwarded-host': 'evil.example',
        forwarded: 'host=evil.example',
      }
      t.same(await answersOf(url, given), plain, value)
    }
  }
})

t.test('a PUBLIC_URL that cannot be meant is refused before anything is changed', async t => {
  const refused: [string, RegExp][] = [
    ['example.com/reprise', /is no address of http or https/],
    ['ftp://example.com/reprise', /is no address of http or https/],
    ['https://ann:secret@example.com/', /must have no user/],
    ['https://example.com/reprise?x=1', /no query/],
    ['https://example.com/reprise#', /no fragment/],
    ['https://example.com//reprise', /write each slash once/],
    ['https://example.com/api', /begins like a path of the server \(\/api\)/],
    ['https://example.com/ui/reprise', /begins like a path of the server \(\/ui\)/],
  ]
  for (const [given, why] of refused) {
    t.throws(() => publicUrlOf({ PUBLIC_URL: given }), { message: why }, given)
  }
  const { code, stderr } = await refusedStart(t.testdir(), { PUBLIC_URL: 'example.com' })
  t.equal(code, 2)
  t.match(stderr, /PUBLIC_URL=example\.com is no address of http or https, such as https:/)
  t.equal(publicUrlOf({ PUBLIC_URL: '' }), undefined)
  t.same(publicUrlOf({ PUBLIC_URL: 'HTTPS://Example.com:443/Reprise/' }), {
    href: 'https://example.com/Reprise',
    origin: 'https://example.com',
    prefix: '/Reprise',
  })
})

t.test('requests in unusual forms lose the prefix, too', async t => {
  const { url } = await serveHere(t, { PUBLIC_URL: 'https://example.com/reprise' })
  const body = JSON.stringify({ ...create, stream: false })
  const head = (first: string, ...more: string[]) =>
    [first, 'Host: x', 'Connection: close', ...more, '', ''].join('\r\n')
  const post = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  const token = `Authorization: Bearer ${adminToken}`
  const rows: [string, string][] = [
    [
      'that waits for 100',
      head('POST /reprise/v1/tasks HTTP/1.1', token, ...post, 'Expect: 100-continue') + body,
    ],
    ['that expects something else', head('GET /reprise/healthz HTTP/1.1', 'Expect: nothing')],
    ['that asks for another protocol', head('GET /reprise/healthz HTTP/1.1', 'Upgrade: h2c')],
    ['for a page', head('HEAD /reprise/ui HTTP/1.1')],
  ]
  for (const [what, bytes] of rows) {
    const { raw } = await exchange(url, bytes)
    t.match(raw, /^HTTP\/1\.1 (100 Continue\r\n\r\nHTTP\/1\.1 )?200 /, `a request ${what}`)
  }
  t.equal((await fetch(`${url}/reprise/reprise/ui`)).status, 404, 'the prefix counts once')
})

t.test('the prefix is removed as a whole part of a path, and only once', async t => {
  const rows: [string, string][] = [
    ['/reprise/ui', '/ui'],
    ['/reprise', '/'],
    ['/reprise?x=1', '/?x=1'],
    ['/reprise/', '/'],
    ['/reprise/reprise/x', '/reprise/x'],
    ['/reprised/ui', '/reprised/ui'],
    ['/ui?next=/reprise/ui', '/ui?next=/reprise/ui'],
    ['/v1/tasks', '/v1/tasks'],
  ]
  for (const [given, wanted] of rows) t.equal(withoutPrefix(given, '/reprise'), wanted, given)
})

t.test('the first part of each path of the server is known', async t => {
  const firsts = new Set(operations.map(({ path }) => path.split('/')[1]))
  firsts.delete('') // the root
  t.same([...firsts, 'cluster'].sort(), [...ownPaths].sort())
})
