// URLs that callers give lead to the public internet and nowhere else, whatever they are written like.
import type { IncomingHttpHeaders } from 'node:http'
import type { LookupFunction } from 'node:net'
import t, { type Test } from 'tap'
import { createOutsideFetch } from '../../src/egress/guarded-fetch.ts'
import { isPublic } from '../../src/egress/public-address.ts'
import { until } from '../support/http.ts'
import { listen } from './servers/http.ts'

t.test('public addresses are those that are given out to somebody', async t => {
  for (const address of [
    '1.1.1.1',
    '9.255.255.255',
    '100.63.255.255',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.1.1',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '64:ff9b::8.8.8.8',
  ])
    t.ok(isPublic(address), address)
  for (const address of [
    '0.0.0.0',
    '0.1.2.3',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%lo',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
  ])
    t.notOk(isPublic(address), address)
})

const fetching = (t: Test, mayReach: (address: string) => boolean, lookup?: LookupFunction) => {
  const outside = createOutsideFetch(lookup === undefined ? { mayReach } : { mayReach, lookup })
  t.teardown(outside.close)
  const signal = AbortSignal.timeout(60_000)
  return (url: string, init: RequestInit = {}) => outside.fetch(url, { signal, ...init })
}

t.test('an address that is not public is refused in every notation, and nobody is connected to', async t => {
  let asked = 0
  const { url, http } = await listen(t, (_, response) => {
    asked++
    response.end()
  })
  http.on('connection', () => asked++)
  const { port } = new URL(url)
  const fetch = fetching(t, isPublic)
  for (const host of [
    '127.0.0.1',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '0x7f000001',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    'localhost',
    'LOCALHOST',
  ]) {
    await t.rejects(
      fetch(`http://${host}:${port}/`),
      { message: /leads to an address that is not public; .+ALLOW_PRIVATE_URLS=1$/ },
      host,
    )
    await t.rejects(fetch(`https://${host}:${port}/`), { message: /not public; / }, `${host}, https`)
  }
  t.equal(asked, 0)
})

/** Names that lead where the test says. */
const names =
  (table: Record<string, string[]>): LookupFunction =>
  (hostname, options, callback) => {
    const found = (table[hostname] ?? []).map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }

t.test(
  'a name is judged by where it leads, and of several addresses only the public ones are used',
  async t => {
    const { url } = await listen(t, (_, response) => response.end('here'))
    const { port } = new URL(url)
    const lookup = names({ inside: ['10.0.0.1', '::1'], both: ['10.0.0.1', '127.0.0.1'] })
    const fetch = fetching(t, address => address === '127.0.0.1', lookup)
    await t.rejects(fetch(`http://inside:${port}/`), {
      message: /^inside leads to an address that is not public; /,
    })
    t.equal(await (await fetch(`http://both:${port}/`)).text(), 'here')
  },
)

t.test('a name that leads elsewhere the next time is judged again', async t => {
  const { url } = await listen(t, (_, response) => response.setHeader('connection', 'close').end('here'))
  const { port } = new URL(url)
  const table: Record<string, string[]> = { changing: ['127.0.0.1'] }
  const fetch = fetching(t, address => address === '127.0.0.1', names(table))
  t.equal(await (await fetch(`http://changing:${port}/`)).text(), 'here')
  table.changing = ['127.0.0.2']
  await t.rejects(fetch(`http://changing:${port}/`), { message: /not public; / })
})

t.test('a name that nobody knows is a failure of the network', async t => {
  const unknown: LookupFunction = (_host, _options, callback) =>
    callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), '')
  const fetch = fetching(t, isPublic, unknown)
  await t.rejects(fetch('http://nobody.example/'), { cause: { code: 'ENOTFOUND' } })
})

t.test('a redirect to an address that is not public is refused', async t => {
  const hidden = await listen(t, (_, response) => response.end('secret'), '127.0.0.1')
  const { port } = new URL(hidden.url)
  const { url } = await listen(t, (_, response) =>
    response.writeHead(302, { location: `http://127.0.0.2:${port}/` }).end(),
  )
  const fetch = fetching(t, address => address === '127.0.0.1')
  await t.rejects(fetch(url), { message: /^127\.0\.0\.2 leads to an address that is not public; / })
})

t.test('redirects are followed five times', async t => {
  const { url } = await listen(t, (request, response) => {
    const left = Number(request.url?.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(302, { location: `/${left - 1}` }).end()
  })
  const fetch = fetching(t, () => true)
  t.equal(await (await fetch(new URL('/5', url).href)).text(), 'there')
  await t.rejects(fetch(new URL('/6', url).href), { message: 'redirected more than 5 times' })
  t.equal((await fetch(new URL('/1', url).href, { redirect: 'manual' })).status, 302)
  await t.rejects(fetch(new URL('/1', url).href, { redirect: 'error' }), { message: 'redirected with 302' })
})

t.test('another origin is told nothing of the caller, and a new method as the status says', async t => {
  type Seen = { method: string | undefined; headers: IncomingHttpHeaders; body: string }
  const seen: Seen[] = []
  const keep = await listen(t, async (request, response) => {
    const { method, headers } = request
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ method, headers, body })
    response.end()
  })
  const { url } = await listen(t, async (request, response) => {
    for await (const _ of request);
    const status = Number(request.url?.slice(1))
    response.writeHead(status, { location: keep.url }).end()
  })
  const fetch = fetching(t, () => true)
  const headers = {
    'X-Key': 'sEcReT',
    Authorization: 'sEcReT',
    Accept: 'a/b',
    'Content-Type': 'application/json',
  }
  const init = { method: 'POST', body: '{}', headers }
  for (const status of [307, 308, 301, 302, 303]) await fetch(new URL(`/${status}`, url).href, init)
  t.notMatch(JSON.stringify(seen), 'sEcReT')
  t.same(
    seen.map(({ method, body, headers }) => [method, body, headers.accept, headers['content-type']]),
    [
      ['POST', '{}', 'a/b', 'application/json'],
      ['POST', '{}', 'a/b', 'application/json'],
      ['GET', '', 'a/b', undefined],
      ['GET', '', 'a/b', undefined],
      ['GET', '', 'a/b', undefined],
    ],
  )
})

t.test('the same origin is told what the caller said', async t => {
  const seen: unknown[] = []
  const { url } = await listen(t, (request, response) => {
    seen.push(request.headers['x-key'])
    if (request.url === '/there') response.end()
    else response.writeHead(302, { location: '/there' }).end()
  })
  await fetching(t, () => true)(url, { headers: { 'X-Key': 'key' } })
  t.same(seen, ['key', 'key'])
})

t.test('other schemes and names with a password are not fetched, not even by a redirect', async t => {
  const { url } = await listen(t, (request, response) =>
    response
      .writeHead(302, { location: request.url === '/a' ? 'file:///etc/passwd' : 'http://me:you@x/' })
      .end(),
  )
  const fetch = fetching(t, () => true)
  const message = 'only http and https URLs without a user name are fetched'
  for (const bad of [
    'file:///etc/passwd',
    'http://me:you@127.0.0.1/',
    new URL('/a', url).href,
    new URL('/b', url).href,
  ])
    await t.rejects(fetch(bad), { message }, bad)
})

t.test('names that nobody answers for hold up neither files nor other domains', async t => {
  const { url } = await listen(t, (_, response) => response.end('here'))
  const { port } = new URL(url)
  const held: (() => void)[] = []
  const slow: LookupFunction = (host, options, callback) => {
    const answer = () => names({ 'good.example': ['127.0.0.1'] })(host, options, callback)
    if (host === 'good.example') answer()
    else held.push(answer)
  }
  const fetch = fetching(t, address => address === '127.0.0.1', slow)
  const hostile = Array.from({ length: 30 }, (_, n) =>
    fetch(`http://n${n}.slow.example:${port}/`).catch(error => error),
  )
  t.equal(await (await fetch(`http://good.example:${port}/`)).text(), 'here')
  t.equal(held.length, 1, 'of the four threads of the system, one')
  for (let n = 0; n < 30; n++) {
    await until(() => held.length > n)
    held[n]?.()
  }
  for (const failed of await Promise.all(hostile)) t.match(failed, Error, 'in the end each has its answer')
})
