// Three nats-servers that are one cluster on this machine, in a folder, for a demonstration.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { CannotStart } from '../../contract/cannot-start.ts'
import { freePort } from '../../platform/free-port.ts'

const count = 3
const missing =
  'the demo needs nats-server on PATH: install the package nats-server, or take it from https://nats.io/download'

type Ports = { client: number; route: number }
const configOf = (place: number, all: Ports[], folder: string): string => `
listen: "127.0.0.1:${all[place]?.client}"
server_name: "nats-${place + 1}"
jetstream { store_dir: ${JSON.stringify(path.join(folder, `nats-${place + 1}`))} }
cluster {
  name: demo
  listen: "127.0.0.1:${all[place]?.route}"
  routes: [${all.map(({ route }) => `"nats-route://127.0.0.1:${route}"`).join(', ')}]
}
`

/** Starts one server. The end of this process kills it. Rejects with CannotStart if nats-server is missing. */
const startOne = async (file: string) => {
  const child = spawn('nats-server', ['-c', file], { stdio: 'ignore' })
  const kill = () => void child.kill('SIGKILL')
  process.prependOnceListener('exit', kill)
  await once(child, 'spawn').catch(error => {
    throw error.code === 'ENOENT' ? new CannotStart(missing) : error
  })
  const ended = once(child, 'exit').then(() => process.off('exit', kill))
  return async (): Promise<void> => {
    kill()
    await ended
  }
}

/** Starts the servers. `url` of the result is a value for NATS_URL. */
export const startNatsServers = async (folder: string) => {
  const ports: Ports[] = []
  for (let place = 0; place < count; place++)
    ports.push({ client: await freePort(), route: await freePort() })
  const files = ports.map((_, place) => {
    const file = path.join(folder, `nats-${place + 1}.conf`)
    writeFileSync(file, configOf(place, ports, folder))
    return file
  })
  const stops = await Promise.all(files.map(startOne))
  return {
    url: ports.map(({ client }) => `nats://127.0.0.1:${client}`).join(','),
    stop: async (): Promise<void> => void (await Promise.all(stops.map(stop => stop()))),
  }
}
