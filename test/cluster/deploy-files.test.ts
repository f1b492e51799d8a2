// The files with which an operator sets the NATS servers of a cluster up: deploy/nats.conf and compose.cluster.yaml.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { unsafetyOf } from '../../src/cluster/nats/judgements.ts'
import { statesOfCopies } from '../../src/cluster/nats/monitors.ts'
import { openServers } from '../../src/cluster/nats/setup.ts'
import { clusterNatsOf, clusterOf } from '../../src/cluster/settings.ts'
import { freePort } from '../../src/platform/free-port.ts'
import { until } from '../support/nats-cluster.ts'
import { natsProgramOf, noNatsOf, pinned } from '../support/nats-programs.ts'

const conf = readFileSync('deploy/nats.conf', 'utf8')
const wanted = new Set(
  [...conf.replace(/^\s*#.*$/gm, '').matchAll(/\$(\w+)/g)].map(([, name]) => name as string),
)
const passwords = { CLUSTER_PASSWORD: 'pc', EVENTS_PASSWORD: 'pe' }

/** A server with deploy/nats.conf, but with ports and a folder of this test. */
const serverOf = (
  t: Test,
  file: string,
  ports: { client: number; route: number },
  env: Record<string, string>,
) => {
  const [program, config] = [file, path.join(t.testdirName, `${env.NATS_NAME}.conf`)]
  writeFileSync(
    config,
    conf
      .replace('0.0.0.0:4222', `127.0.0.1:${ports.client}`)
      .replace('0.0.0.0:6222', `127.0.0.1:${ports.route}`)
      .replace('/data', path.join(t.testdirName, `${env.NATS_NAME}`)),
  )
  const child = spawn(program, ['-c', config], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  let said = ''
  child.stderr.on('data', chunk => {
    said += chunk
  })
  t.teardown(async () => {
    kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    process.off('exit', kill)
  })
  return { said: () => said }
}

for (const line of ['current', 'next'] as const) {
  const tooOld = !natsProgramOf(line)?.isSafe && 'this nats-server is older than those that nodes accept'
  t.test(
    `deploy/nats.conf makes three servers of ${pinned[line]} a cluster`,
    { skip: noNatsOf(line) || tooOld },
    async t => {
      t.testdir()
      const file = natsProgramOf(line)?.file as string
      const ports: { client: number; route: number; monitor: number }[] = []
      for (const _ of [1, 2, 3])
        ports.push({ client: await freePort(), route: await freePort(), monitor: await freePort() })
      const routesWith = (password: string) =>
        `[${ports.map(({ route }) => `nats-route://routes:${password}@127.0.0.1:${route}`).join(', ')}]`
      const envOf = (name: string, monitor: number, password: string) => ({
        ...passwords,
        ...{ NATS_NAME: name, NATS_MONITOR: `127.0.0.1:${monitor}`, ROUTES_PASSWORD: password },
        NATS_ROUTES: routesWith(password),
      })
      for (const [n, each] of ports.entries())
        serverOf(t, file, each, envOf(`nats-${n + 1}`, each.monitor, 'pr'))
      const NATS_URL = ports.map(({ client }) => `nats://cluster:pc@127.0.0.1:${client}`).join()
      const created = await until('the streams', async () => {
        const servers = await openServers(clusterNatsOf({ NATS_URL }))
        return servers.setUp(0).finally(servers.close)
      })
      const monitors = ports.map(({ monitor }) => `http://127.0.0.1:${monitor}`)
      const states = await until('three copies', async () => {
        const states = await statesOfCopies(monitors, created[0] ?? '')
        return states.every(one => 'hasCopy' in one && one.hasCopy) && states
      })
      t.equal(unsafetyOf(states), undefined)

      const [client, route, monitor] = [await freePort(), await freePort(), await freePort()]
      const stranger = serverOf(t, file, { client, route }, envOf('stranger', monitor, 'guessed'))
      await until('a refusal', () => /Authorization Violation|authentication error/i.test(stranger.said()))
      const { routes } = (await (await fetch(`http://127.0.0.1:${monitor}/varz`)).json()) as {
        routes: number
      }
      t.equal(routes, 0)
    },
  )
}

type Service = { image: string; command?: string[]; environment: Record<string, string>; volumes: string[] }
t.test('compose.cluster.yaml sets each variable, and pins the version that tests run with', async t => {
  const { services } = parse(readFileSync('compose.cluster.yaml', 'utf8'), { merge: true }) as {
    services: Record<string, Service>
  }
  const names = ['nats-1', 'nats-2', 'nats-3']
  for (const name of names) {
    const { image, environment, volumes } = services[name] as Service
    t.equal(image, `nats:${pinned.current}`)
    t.same(Object.keys(environment).sort(), [...wanted].sort())
    t.match(environment, { NATS_NAME: name, NATS_MONITOR: `${name}:8222` })
    for (const other of names) t.match(environment.NATS_ROUTES, `@${other}:6222`)
    t.ok(volumes.includes('./deploy/nats.conf:/etc/nats.conf:ro'))
  }
  for (const name of ['a', 'b']) {
    const { environment } = services[name] as Service
    const settings = clusterOf(environment)
    t.same(
      settings?.monitorUrls,
      names.map(each => `http://${each}:8222`),
    )
    t.same(
      settings?.nats.servers,
      names.map(each => `${each}:4222`),
    )
    t.equal(settings?.acceptsUnsynced, false)
  }
})
