// The first lines that reprise serve prints.

import { shownAddress } from '../../agents/model/open-endpoint.ts'
import type { Config } from '../../config.ts'
import { version } from '../../platform/version.ts'
import type { ClusterNode } from '../../start/node.ts'
import type { Server } from '../../start/server.ts'
import { exportOf, firstCurlOf } from '../server/server.ts'
import { called } from './called.ts'

/**
 * Whether the first message shows the admin token. It does not when the output goes to a file, because others may read
 * the file, and not when the operator has set ADMIN_TOKEN.
 */
const isTokenShown = (config: Config): boolean => process.stdout.isTTY && config.adminToken === undefined

/** The texts in the first message for the sandbox of shell commands in the environment `workspace`. */
const sandboxes = {
  bubblewrap: 'bubblewrap',
  limits: 'none: shell commands of workspaces run with limits only (ALLOW_UNSANDBOXED_SHELL=1)',
  refused: 'none: workspaces are refused (install bubblewrap, or set ALLOW_UNSANDBOXED_SHELL=1)',
}
/** The texts in the first message for the user ids of environments; empty if the server does not run as root. */
const users = {
  all: '; environments have user ids of their own',
  some: '; some environments run as root',
  none: process.getuid?.() === 0 ? '; environments run as root' : '',
}

/** The text for the model. Without a model, the agent `demo` answers tasks that name no agent. */
export const modelLine = ({ model }: Config): string =>
  model === undefined
    ? 'none: the agent demo answers (set MODEL_BASE_URL and MODEL to use one)'
    : `${model.model} at ${shownAddress(model)}`

/** The text for the console. A link that signs in is shown only at a terminal: others may read a file of the output. */
export const consoleLine = (url: string, { consoleLink }: Server): string =>
  process.stdout.isTTY ? `${url}${consoleLink()} (for a minute, once; later: ${called} console)` : `${url}/ui`

/** The first lines of a server: the addresses as clients know them, and a request for a terminal of this machine. */
export const greeting = (config: Config, server: Server): string => {
  const { sandbox, ownUsers, resumed } = server
  const url = config.publicUrl?.href ?? server.url
  return [
    `reprise    ${version}`,
    `Console    ${consoleLine(url, server)}`,
    `API        ${url}/v1`,
    `Docs       ${url}/docs`,
    `Data       ${config.dataDir} (durable)`,
    `Model      ${modelLine(config)}`,
    `NATS       ${config.nats === undefined ? 'off' : `on, ${config.nats.shown}`}`,
    `Sandbox    ${sandboxes[sandbox]}${users[ownUsers]}`,
    ...(resumed > 0 ? [`Resumed    ${resumed} unfinished task${resumed === 1 ? '' : 's'}`] : []),
    '',
    'Try it:',
    firstCurlOf(config, server.url, isTokenShown(config)),
    '',
    'First in each other terminal, for the examples in docs/:',
    exportOf(config, server.url),
    '',
  ].join('\n')
}

/** The first lines of a node of a cluster. */
export const nodeGreeting = (config: Config, { url: own, name }: ClusterNode): string => {
  const url = config.publicUrl?.href ?? own
  return [
    `reprise    ${version}`,
    `Node       ${name} of a cluster (its role: ${own}/readyz; all nodes: ${called} cluster status)`,
    `Console    ${url}/ui`,
    `API        ${url}/v1`,
    `Docs       ${url}/docs`,
    `Data       ${config.dataDir} (durable, and a copy of the shared log)`,
    `Model      ${modelLine(config)}`,
    `NATS       on, ${config.nats?.shown}`,
    '',
  ].join('\n')
}
