// How Reprise logs in to NATS and by what it knows the server, with real servers that ask for it.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { nkeys } from '@nats-io/transport-node'
import t from 'tap'
import { freePort } from '../../src/platform/free-port.ts'
import { until } from '../support/http.ts'
import { natsServer, noNats } from '../support/nats.ts'
import { givenBus } from './nats-support.ts'

type Given = Awaited<ReturnType<typeof givenBus>>
const works = async (bus: Given) => {
  bus.start()
  await bus.append(5)
  await bus.caughtUp().catch(error => t.fail(`${error.message} ${JSON.stringify(bus.lines)}`))
  return bus.messages()
}
const staysAway = async (bus: Given) => {
  bus.start()
  await bus.append(5)
  await until(() => bus.lines.length > 0)
  return bus.messages().join()
}
const at = (port: number, login = '') => `nats://${login}127.0.0.1:${port}`
const connected = ['NATS is connected']

t.test('user and password, and token, by URL or by variables', { skip: noNats }, async t => {
  const users = await natsServer(t, {
    jetStream: false,
    config: 'authorization { user: "me", password: "p@ss" }',
  })
  t.same(await works(await givenBus(t, at(users.port, 'me:p%40ss@'))), connected)
  const byName = { NATS_USER: 'me', NATS_PASSWORD: 'p@ss' }
  t.same(
    await works(await givenBus(t, at(users.port), { env: byName, id: 'log_one', folder: t.testdir() })),
    connected,
  )
  const wrong = await givenBus(t, at(users.port, 'me:wrong-secret@'))
  t.match(await staysAway(wrong), /^NATS is away.*Authorization Violation/)
  t.notMatch(JSON.stringify(wrong.lines), /secret/)

  const tokens = await natsServer(t, { jetStream: false, config: 'authorization { token: "s3cret" }' })
  t.same(await works(await givenBus(t, at(tokens.port, 's3cret@'))), connected)
  t.same(
    await works(await givenBus(t, at(tokens.port), { env: { NATS_TOKEN: 's3cret' }, folder: t.testdir() })),
    connected,
  )
})

t.test('of several servers one that answers is enough', { skip: noNats }, async t => {
  const nats = await natsServer(t, { jetStream: false })
  t.same(await works(await givenBus(t, `nats://127.0.0.1:${await freePort()},${nats.url}`)), connected)
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
type Key = ReturnType<typeof nkeys.createUser>
const jwtOf = (signer: Key, subject: Key, type: string, more: object = {}): string => {
  const claims = {
    jti: type,
    iat: Math.floor(Date.now() / 1000),
    iss: signer.getPublicKey(),
    name: type,
    sub: subject.getPublicKey(),
    nats: { ...more, type, version: 2 },
  }
  const text = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode(claims)}`
  return `${text}.${Buffer.from(signer.sign(Buffer.from(text))).toString('base64url')}`
}

t.test('a credentials file, which may be replaced', { skip: noNats }, async t => {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()]
  const unlimited = {
    subs: -1,
    data: -1,
    payload: -1,
    imports: -1,
    exports: -1,
    wildcards: true,
    conn: -1,
    leaf: -1,
  }
  const accountJwt = jwtOf(operator, account, 'account', { limits: unlimited })
  const nats = await natsServer(t, {
    jetStream: false,
    config: `operator: "${jwtOf(operator, operator, 'operator')}"
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: "${accountJwt}" }`,
  })
  const credsOf = (jwt: string, seed: string) =>
    `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n` +
    `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`
  const jwt = jwtOf(account, user, 'user', { subs: -1, data: -1, payload: -1 })
  const seedOf = (key: Key) => Buffer.from(key.getSeed()).toString()
  const file = `${t.testdir({})}/me.creds`
  writeFileSync(file, credsOf(jwt, seedOf(nkeys.createUser())))
  const bus = await givenBus(t, nats.url, { env: { NATS_CREDS: file } })
  t.match(await staysAway(bus), /NATS is away/)
  writeFileSync(file, credsOf(jwt, seedOf(user)))
  await bus.caughtUp()
  t.equal(bus.messages().at(-1), 'NATS is connected')
  t.notMatch(JSON.stringify(bus.lines), seedOf(user))
})

const noOpenssl = spawnSync('openssl', ['version']).status === 0 ? false : 'there is no openssl'
t.test(
  'TLS, by a CA of its own, with a certificate of the client',
  { skip: noNats || noOpenssl },
  async t => {
    const folder = t.testdir({})
    const file = (name: string) => `${folder}/${name}`
    const openssl = (...args: string[]) => {
      const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr)
    }
    const key = (name: string, subject: string, ...more: string[]) =>
      openssl(
        ...[
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '1',
        ],
        ...['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`), '-subj', subject, ...more],
      )
    key('ca', '/CN=ca')
    const signed = [
      '-CA',
      file('ca.pem'),
      '-CAkey',
      file('ca.key'),
      '-addext',
      'basicConstraints=critical,CA:FALSE',
    ]
    key('server', '/CN=server', ...signed, '-addext', 'subjectAltName=IP:127.0.0.1')
    key('client', '/CN=client', ...signed)
    const nats = await natsServer(t, {
      config: `tls { cert_file: "${file('server.pem')}", key_file: "${file('server.key')}", ca_file: "${file('ca.pem')}", verify: true }`,
    })
    const url = `tls://127.0.0.1:${nats.port}`
    const env = { NATS_CA: file('ca.pem'), NATS_CERT: file('client.pem'), NATS_KEY: file('client.key') }
    t.same(await works(await givenBus(t, url, { env })), connected)
    t.match(
      await staysAway(await givenBus(t, url)),
      /NATS is away.*certificate/,
      'a server that nobody vouches for',
    )
    const plain = await natsServer(t)
    const wanted = await givenBus(t, `tls://me:secret@127.0.0.1:${plain.port}`)
    t.match(await staysAway(wanted), /NATS is away.*tls/, 'a server without TLS is not told a password')
  },
)

t.test(
  'what the server does not allow is said once, and everybody hears from the log',
  { skip: noNats },
  async t => {
    const nats = await natsServer(t, {
      jetStream: false,
      config:
        'authorization { users = [{ user: u, password: p, permissions: { publish: "other.>", subscribe: ">" } }] }',
    })
    const bus = await givenBus(t, at(nats.port, 'u:p@'))
    const follower = bus.follow()
    bus.start()
    await until(() => bus.counts().connected)
    for (let n = 0; n < 3; n++) await bus.append(4)
    await until(() => follower.got.length === 9)
    await until(() => bus.lines.length >= 3)
    t.match(bus.messages(), [
      'NATS is connected',
      /^NATS refuses something: .*Publish/,
      /^events do not reach NATS, and the relay tries again/,
    ])
    t.equal(bus.counts().published, 0)
  },
)
