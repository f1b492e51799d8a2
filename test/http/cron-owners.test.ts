// Who may do what with a cron job, which of its traces others see, and where its secret values are.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { read, until } from '../support/http.ts'
import { type Api, apiOf, serveHere } from '../support/server.ts'
import { listen } from './event-streams.ts'

const { api, url, dataDir } = await serveHere(t)
const tokenOf = async (body: object): Promise<string> =>
  ((await read(api('POST', '/auth/tokens', body))).body as unknown as { token: string }).token
const anns = await tokenOf({ role: 'user', user_id: 'ann' })
const bobs = await tokenOf({ role: 'user', user_id: 'bob' })
const [ann, bob] = [apiOf(url, anns), apiOf(url, bobs)]
const secret = 'a-value-that-nobody-else-has'
const task = { user_message_content: 'go', client_id: 'echo', env: { KEY: secret } }
const make = async (who: Api) =>
  (
    (await read(who('POST', '/cron/jobs', { name: 'a', schedule: '@yearly', task }))).body as unknown as {
      job_id: string
    }
  ).job_id
const job = await make(ann)

const reads = ['', '/runs', '/machine']
const writes: [string, string, object?][] = [
  ['PATCH', '', { name: 'b' }],
  ['POST', '/pause'],
  ['POST', '/resume'],
  ['POST', '/trigger'],
  ['DELETE', ''],
]
const others: Record<string, [Api, read: number, write: number]> = {
  auditor: [apiOf(url, await tokenOf({ role: 'auditor' })), 200, 403],
  "ann's auditor": [apiOf(url, await tokenOf({ role: 'auditor', user_id: 'ann' })), 200, 403],
  "bob's auditor": [apiOf(url, await tokenOf({ role: 'auditor', user_id: 'bob' })), 404, 403],
  subscriber: [apiOf(url, await tokenOf({ role: 'subscriber' })), 403, 403],
  "ann's subscriber": [apiOf(url, await tokenOf({ role: 'subscriber', user_id: 'ann' })), 403, 403],
  bob: [bob, 404, 404],
  nobody: [apiOf(url, 'no such token'), 401, 401],
}
for (const [name, [who, toRead, toWrite]] of Object.entries(others)) {
  t.test(`${name}: ${toRead} to read a job of ann, ${toWrite} to change it`, async t => {
    const before = (await read(ann('GET', `/cron/jobs/${job}`))).body
    for (const tail of reads) t.equal((await who('GET', `/cron/jobs/${job}${tail}`)).status, toRead, tail)
    for (const [method, tail, body] of writes) {
      t.equal((await who(method, `/cron/jobs/${job}${tail}`, body)).status, toWrite, `${method} ${tail}`)
    }
    t.same((await read(ann('GET', `/cron/jobs/${job}`))).body, before)
  })
}

t.test(
  "the answer about another user's job is, to the byte, that about a job that does not exist",
  async t => {
    const id = { 'x-request-id': 'same' }
    for (const [method, tail, body] of [...reads.map(tail => ['GET', tail] as const), ...writes]) {
      const texts = await Promise.all(
        [job, 'cron_none'].map(async which =>
          (await bob(method, `/cron/jobs/${which}${tail}`, body, id)).text(),
        ),
      )
      t.equal(texts[0], texts[1], `${method} ${tail}`)
    }
  },
)

t.test('HEAD answers like GET without a body, and OPTIONS names the methods', async t => {
  const headers = { authorization: `Bearer ${anns}` }
  const head = await fetch(`${url}/v1/cron/jobs/${job}`, { method: 'HEAD', headers })
  t.match([head.status, await head.text()], [200, ''])
  const options = await fetch(`${url}/v1/cron/jobs/${job}`, { method: 'OPTIONS', headers })
  t.match(options.headers.get('allow'), /GET.*|PATCH.*|DELETE/)
})

t.test(
  'the owner of a job sees its stream in the audit, and hears its events; another user does neither',
  async t => {
    const heard = {
      ann: await listen(url, { token: anns, query: 'types=CronJobTriggered,CronJobCompleted' }),
      bob: await listen(url, { token: bobs, query: 'types=CronJobTriggered,CronJobCompleted' }),
    }
    await ann('POST', `/cron/jobs/${job}/trigger`)
    await until(() => heard.ann.heard().filter(({ type }) => type === 'CronJobCompleted').length === 1)
    const own = await make(bob)
    await bob('POST', `/cron/jobs/${own}/trigger`)
    await until(() => heard.bob.heard().some(({ type }) => type === 'CronJobCompleted'))
    const ofBob = heard.bob.heard().filter(({ type }) => type.startsWith('Cron'))
    t.same([...new Set(ofBob.map(({ body }) => body.job_id))], [own])
    const streamsOf = async (who: Api) => {
      const { body } = await read(who('GET', '/audit/streams?limit=1000'))
      const { data: streams } = body as unknown as { data: { stream: string }[] }
      return streams.map(({ stream }) => stream).filter(stream => stream.startsWith('cron-'))
    }
    t.same(await streamsOf(ann), [`cron-${job}`])
    t.same(await streamsOf(bob), [`cron-${own}`])
    await heard.ann.cut()
    await heard.bob.cut()
  },
)

t.test('secret values of a job are in secrets.db alone, are shown as stars, and go with the job', async t => {
  const holding = () =>
    readdirSync(dataDir, { withFileTypes: true })
      .filter(entry => entry.isFile() && readFileSync(path.join(dataDir, entry.name)).includes(secret))
      .map(({ name }) => name)
  const id = await make(ann)
  t.match(holding(), /^secrets\.db/)
  const { text } = await read(ann('GET', `/cron/jobs/${id}`))
  t.notOk(text.includes(secret))
  t.match(JSON.parse(text), { task: { env: { KEY: '***' } } })
  for (const who of [ann, bob]) {
    const { body } = await read(who('GET', '/cron/jobs'))
    for (const { job_id } of (body as unknown as { data: { job_id: string }[] }).data)
      await who('DELETE', `/cron/jobs/${job_id}`)
  }
  t.same(holding(), [])
})
