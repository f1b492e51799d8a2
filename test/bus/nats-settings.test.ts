// What NATS_URL and its companions mean; and what an event looks like as a message.
import t from 'tap'
import { encodedHeaders } from '../../src/bus/nats/client.ts'
import { natsOf } from '../../src/bus/nats/nats-settings.ts'
import { headersOf, subjectOf } from '../../src/bus/nats/nats-subject.ts'
import { takesAll } from '../../src/bus/nats/relay-stream.ts'
import { bodyOf, type Published } from '../../src/bus/published.ts'
import { CannotStart } from '../../src/contract/cannot-start.ts'
import type { PublicEvent } from '../../src/contract/events/public-events.ts'

const creds =
  '-----BEGIN NATS USER JWT-----\nx\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\ny\n------END USER NKEY SEED------\n'

t.test('without NATS_URL there is no NATS, whatever else is set', async t => {
  t.equal(natsOf({}), undefined)
  t.equal(natsOf({ NATS_URL: ' ', NATS_USER: 'a', NATS_CREDS: '/nowhere' }), undefined)
})

t.test('servers, logins and TLS, by URL and by variables', async t => {
  const pem = (what: string) => `-----BEGIN ${what}-----\n`
  const folder = t.testdir({
    'a.creds': creds,
    'ca.pem': pem('CA'),
    'cert.pem': pem('C'),
    'key.pem': pem('K'),
  })
  const file = (name: string) => `${folder}/${name}`
  const nothing = { login: { by: 'nothing' }, tls: undefined }
  for (const [env, expected] of [
    [{ NATS_URL: 'nats://a' }, { servers: ['a:4222'], shown: 'nats://a:4222', ...nothing }],
    [{ NATS_URL: 'a:1, b , nats://[::1]:7' }, { servers: ['a:1', 'b:4222', '[::1]:7'], ...nothing }],
    [
      { NATS_URL: 'nats://me:p%40ss@a,nats://me:p%40ss@b:5/' },
      {
        servers: ['a:4222', 'b:5'],
        login: { by: 'user', user: 'me', password: 'p@ss' },
        shown: 'nats://a:4222,nats://b:5',
      },
    ],
    [
      { NATS_URL: 'nats://s3cret@a,b' },
      { login: { by: 'token', token: 's3cret' }, shown: 'nats://a:4222,nats://b:4222' },
    ],
    [
      { NATS_URL: 'a', NATS_USER: 'u', NATS_PASSWORD: 'p' },
      { login: { by: 'user', user: 'u', password: 'p' } },
    ],
    [{ NATS_URL: 'a', NATS_TOKEN: 't' }, { login: { by: 'token', token: 't' } }],
    [{ NATS_URL: 'a', NATS_CREDS: file('a.creds') }, { login: { by: 'credentials', file: file('a.creds') } }],
    [{ NATS_URL: 'tls://a:443' }, { tls: {}, shown: 'tls://a:443' }],
    [{ NATS_URL: 'a', NATS_CA: file('ca.pem') }, { tls: { ca: pem('CA') } }],
    [
      { NATS_URL: 'a', NATS_CERT: file('cert.pem'), NATS_KEY: file('key.pem') },
      { tls: { cert: pem('C'), key: pem('K') } },
    ],
  ] as const) {
    t.match(natsOf(env), expected, JSON.stringify(env))
  }
})

t.test('what cannot be followed is one line, without the secret in it', async t => {
  const folder = t.testdir({ 'a.creds': creds, 'none.creds': 'nothing' })
  const secret = 'hidden'
  for (const [env, why] of [
    [{ NATS_URL: `http://u:${secret}@a` }, /only nats:\/\/ and tls:\/\//],
    [{ NATS_URL: `nats://u:${secret}@a/path` }, /without a server, or with a path/],
    [{ NATS_URL: `nats://u:${secret}@:4222` }, /no URL/],
    [{ NATS_URL: ',' }, /names no server/],
    [{ NATS_URL: `nats://u:${secret}%zz@a` }, /percent-encoded/],
    [{ NATS_URL: `nats://u:${secret}@a,nats://u:other@b` }, /several users/],
    [{ NATS_URL: `nats://${secret}@a`, NATS_USER: 'u', NATS_PASSWORD: secret }, /more than one of NATS_URL/],
    [{ NATS_URL: 'a', NATS_TOKEN: secret, NATS_CREDS: `${folder}/a.creds` }, /more than one of NATS_URL/],
    [{ NATS_URL: 'a', NATS_USER: 'u' }, /NATS_USER and NATS_PASSWORD go together/],
    [{ NATS_URL: 'a', NATS_CREDS: `${folder}/none` }, /NATS_CREDS=.*none cannot be read: ENOENT/],
    [{ NATS_URL: 'a', NATS_CREDS: `${folder}/none.creds` }, /no credentials file/],
    [{ NATS_URL: 'a', NATS_CA: '/nowhere' }, /NATS_CA=\/nowhere cannot be read/],
    [{ NATS_URL: 'a', NATS_CA: `${folder}/none.creds` }, /NATS_CA=.*none\.creds is no PEM file/],
    [{ NATS_URL: 'a', NATS_CERT: `${folder}/a.creds` }, /NATS_CERT and NATS_KEY go together/],
  ] as const) {
    try {
      natsOf(env)
      t.fail(JSON.stringify(env))
    } catch (error) {
      t.ok(error instanceof CannotStart)
      t.match((error as Error).message, why)
      t.notMatch((error as Error).message, secret)
      t.notMatch((error as Error).message, '\n')
    }
  }
})

const about = { timestamp: '2026-01-01T00:00:00.000Z', session_id: 's/1' }
const toldOf = (owner: string, event: object) =>
  ({ position: 12, owner, event: { ...about, ...event } }) as Published<PublicEvent>

t.test('the subject of an event names its user, its group, its name and what it is about', async t => {
  const task = { type: 'TaskDeleted', task_id: 't-1' }
  for (const [told, subject] of [
    [toldOf('anna', task), 'anna.task.TaskDeleted.t-1'],
    [toldOf('anna', { ...task, type: 'AgentCompleted' }), 'anna.agent.AgentCompleted.t-1'],
    [toldOf('anna', { type: 'EnvStepCompleted', task_id: 't-1' }), 'anna.env.EnvStepCompleted.=cy8x'],
    [toldOf('a.b', task), '=YS5i.task.TaskDeleted.t-1'],
    [toldOf('*', task), '=Kg.task.TaskDeleted.t-1'],
    [toldOf('>', task), '=Pg.task.TaskDeleted.t-1'],
    [toldOf('', task), '=.task.TaskDeleted.t-1'],
    [toldOf('=YS5i', task), '=PVlTNWk.task.TaskDeleted.t-1'],
    [toldOf('é 🙂', task), '=w6kg8J-Zgg.task.TaskDeleted.t-1'],
    [toldOf('x'.repeat(128), task), `${'x'.repeat(128)}.task.TaskDeleted.t-1`],
    [
      toldOf('x'.repeat(129), task),
      `=${Buffer.from('x'.repeat(129)).toString('base64url')}.task.TaskDeleted.t-1`,
    ],
  ] as const) {
    t.equal(subjectOf(told), `reprise.events.${subject}`)
  }
})

t.test('the headers are those of JetStream and of CloudEvents', async t => {
  t.same(headersOf(toldOf('anna', { type: 'TaskDeleted', task_id: 't 1%"é' }), 7, 'log_1'), {
    'Nats-Msg-Id': '12',
    'Reprise-Prev': '7',
    'ce-specversion': '1.0',
    'ce-id': '12',
    'ce-type': 'TaskDeleted',
    'ce-source': 'log_1',
    'ce-time': '2026-01-01T00:00:00.000Z',
    'ce-subject': 't%201%25%22%C3%A9',
  })
})

t.test('headers are sent as lines, and a value cannot begin another header', async t => {
  const { encode } = encodedHeaders({ 'Nats-Msg-Id': '12', 'ce-subject': 'é' }) as unknown as {
    encode(): Uint8Array
  }
  t.equal(Buffer.from(encode()).toString(), 'NATS/1.0\r\nNats-Msg-Id: 12\r\nce-subject: é\r\n\r\n')
  for (const value of ['a\nb: c', 'a\rb', '\r\n'])
    t.throws(() => encodedHeaders({ 'ce-subject': value }), { message: /line break/ }, JSON.stringify(value))
})

t.test('the body is one line of JSON, made once', async t => {
  const told = toldOf('anna', { type: 'AgentError', error: 'a\u2028b\u0085c\nd' })
  t.match(bodyOf(told), '"error":"a\\u2028b\\u0085c\\nd"')
  t.same(JSON.parse(bodyOf(told)), told.event)
})

t.test('which subjects of a stream take everything', async t => {
  for (const subject of ['>', 'reprise.>', 'reprise.events.>', '*.events.>', '*.*.>'])
    t.ok(takesAll(subject), subject)
  for (const subject of [
    'reprise.events.*',
    'reprise.events.anna.>',
    'reprise.*',
    'other.>',
    '*.other.>',
    'reprise.events',
  ])
    t.notOk(takesAll(subject), subject)
})
