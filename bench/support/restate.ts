// Restate, with its server and its SDK for Node, as a baseline. Installs both with npm into the folder of the run.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../../src/platform/free-port.ts'
import { newFolder } from './folder.ts'
import { folderWith } from './installed.ts'
import { cpuSecondsBelow } from './process-use.ts'

const versions = { server: '1.7.12', sdk: '1.17.2' }
/** Milliseconds for which the server may take until it knows the service. */
const startMs = 60_000

export type Restate = {
  /** Runs the function once. Resolves to its answer. */
  call(): Promise<string>
  /** CPU seconds of the server, and of the process with the function. */
  cpu(): number
  stop(): void
}

/** Starts both. Undefined: npm has no server for this machine. */
export const startRestate = async (): Promise<Restate | undefined> => {
  const packages = [
    `@restatedev/restate-server@${versions.server}`,
    `@restatedev/restate-sdk@${versions.sdk}`,
  ]
  const folder = folderWith('restate', packages, ['restate-steps.mjs', 'twenty-steps.ts'])
  const program = path.join(
    folder,
    `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  )
  if (!existsSync(program)) return undefined
  const ports = { node: await freePort(), admin: await freePort(), ingress: await freePort() }
  const server = spawn(
    program,
    [
      ...['--no-logo', '--listen-mode', 'tcp', '--bind-ip', '127.0.0.1', '--bind-port', `${ports.node}`],
      ...['--base-dir', newFolder('restate-data'), '--node-name', 'bench'],
    ],
    {
      env: {
        PATH: process.env.PATH,
        RESTATE_LOG_FILTER: 'error',
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_ADMIN__BIND_PORT: `${ports.admin}`,
        RESTATE_INGRESS__BIND_PORT: `${ports.ingress}`,
      },
      stdio: 'ignore',
    },
  )
  const port = await freePort()
  const code = spawn(process.execPath, ['--no-warnings', path.join(folder, 'restate-steps.mjs')], {
    env: { PATH: process.env.PATH, PORT: `${port}`, RESTATE_LOGGING: 'ERROR' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const kill = () => {
    server.kill('SIGKILL')
    code.kill('SIGKILL')
  }
  process.once('exit', kill)
  const headers = { 'content-type': 'application/json' }
  const register = () =>
    fetch(`http://127.0.0.1:${ports.admin}/deployments`, {
      ...{ method: 'POST', headers, body: JSON.stringify({ uri: `http://127.0.0.1:${port}` }) },
    }).then(
      ({ ok }) => ok,
      () => false,
    )
  const call = async (): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${ports.ingress}/twenty/run`, { method: 'POST', headers })
    if (!answer.ok) throw new Error(`Restate answers ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as string
  }
  for (const end = performance.now() + startMs; !(await register()); ) {
    if (server.exitCode !== null || performance.now() > end) throw new Error('Restate did not start')
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return {
    call,
    cpu: () => cpuSecondsBelow(code.pid ?? 0) + cpuSecondsBelow(server.pid ?? 0),
    stop() {
      kill()
      process.off('exit', kill)
    },
  }
}
