// How the console is served: the page, its files, their headers and their size.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Agent, get as getBy, type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { serveHere, spawnServer } from '../support/server.ts'

const { url } = await serveHere(t)
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, { headers, redirect: 'manual' })
const page = await (await get('/ui')).text()
const filesOf = (text: string) => [...text.matchAll(/"ui\/assets\/([\w.-]+)/g)].map(([, name = '']) => name)
/** The files that the browser loads before it shows the first view: those of the page, and what they import. */
const loadedBy = async (names: string[], known = new Map<string, string>()): Promise<Map<string, string>> => {
  for (const name of names) {
    if (known.has(name)) continue
    const text = await (await get(`/ui/assets/${name}`)).text()
    known.set(name, text)
    const imported = [...text.matchAll(/(?:^|[;}])import[^("']*["']\.\/([\w.-]+)["']/g)]
    await loadedBy(
      imported.map(([, file = '']) => file),
      known,
    )
  }
  return known
}

t.test('every path below /ui is the page, which runs no script of its own', async t => {
  for (const path of ['/ui', '/ui/', '/ui?status=failed', '/ui/tasks/some-id', '/ui/no/such/view']) {
    const answer = await get(path)
    t.equal(answer.status, 200, path)
    t.match(answer.headers.get('content-type'), 'text/html')
    t.equal(answer.headers.get('cache-control'), 'no-cache')
    t.equal((await answer.text()).replaceAll('../', ''), page)
  }
  const csp = (await get('/ui')).headers.get('content-security-policy') ?? ''
  for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) t.match(csp, part)
  t.notMatch(csp, /unsafe|https?:|\*/)
  t.notMatch(page, /<script(?![^>]*src=)|https?:\/\/|\sstyle=|\son\w+=/)
})

t.test('files have digests in their names and are kept for ever; others are not found', async t => {
  const names = filesOf(page)
  t.equal(names.length, 3)
  for (const name of names) {
    const answer = await get(`/ui/assets/${name}`)
    t.equal(answer.status, 200)
    t.match(name, /-[\w]{8}\.(js|css|svg)$/i)
    t.match(answer.headers.get('cache-control'), 'immutable')
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  }
  for (const name of ['none.js', '..%2Findex.html', '..%2F..%2Fmain.mjs', '%2e%2e/index.html'])
    t.not(
      (await get(`/ui/assets/${name}`)).headers.get('content-type'),
      'text/javascript; charset=utf-8',
      name,
    )
  t.equal((await get('/ui/assets/none.js')).status, 404)
  t.equal((await fetch(`${url}/ui`, { method: 'POST' })).status, 405)
})

t.test('the first load is at most 100 KB, compressed', async t => {
  const files = await loadedBy(filesOf(page))
  t.ok(files.size >= 3)
  const bytes = [page, ...files.values()].reduce((sum, text) => sum + gzipSync(text).length, 0)
  t.ok(bytes < 100 * 1024, `${bytes} bytes`)
  const [name = ''] = filesOf(page).filter(each => each.endsWith('.js'))
  const encoded = await get(`/ui/assets/${name}`, { 'accept-encoding': 'gzip' })
  t.equal(encoded.headers.get('content-encoding'), 'gzip')
  const plain = await get(`/ui/assets/${name}`, { 'accept-encoding': 'identity' })
  t.equal(plain.headers.get('content-encoding'), null)
  t.equal(await plain.text(), await encoded.text())
})

const noPrlimit = existsSync('/usr/bin/prlimit') ? false : 'prlimit is not installed'

t.test('what could not be read once is read at the next request', { skip: noPrlimit }, async t => {
  const { url, pid } = await spawnServer(t, t.testdir())
  const agent = new Agent({ keepAlive: true, maxSockets: 1 }) // a new connection would need a new file descriptor
  t.teardown(() => agent.destroy())
  const statusOf = async (path: string) => {
    const [answer] = (await once(getBy(`${url}${path}`, { agent }), 'response')) as [IncomingMessage]
    await once(answer.resume(), 'end')
    return answer.statusCode
  }
  const mayOpen = (files: number) => execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${files}:`])
  t.equal(await statusOf('/ui/assets/none.js'), 404)
  const paths = ['/ui', '/docs/page.css', '/docs/page.js']
  mayOpen(4)
  for (const path of paths) t.equal(await statusOf(path), 500, path)
  mayOpen(1024)
  for (const path of paths) t.equal(await statusOf(path), 200, path)
})
