// Turns environment variables into one typed, frozen object. When a value is invalid, the start ends with one line of
// explanation and exit code 2.
import { randomBytes } from 'node:crypto'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { AgentHostSettings } from './agent-hosts/code-hosts.ts'
import { type FolderProblem, readAgentFolder } from './agent-hosts/folder.ts'
import { type ModelSettings, modelOf } from './agents/model/settings.ts'
import { builtinNames } from './agents/names.ts'
import { type NatsSettings, natsOf } from './bus/nats/nats-settings.ts'
import { type ClusterSettings, clusterOf } from './cluster/settings.ts'
import { CannotStart } from './contract/cannot-start.ts'
import type { EnvironmentSettings } from './environments/environments.ts'
import { type RetentionRule, readRetention } from './erasure/retention-rules.ts'
import type { QuotaLimits } from './fairness/quotas.ts'
import { type PublicUrl, publicUrlOf } from './http/server/public-url.ts'
import { readMcpConfig } from './mcp/config.ts'
import type { McpServer } from './mcp/server.ts'
import { filesOf } from './platform/files/data-folder.ts'
import { isFolder, makeOwnFolder } from './platform/files/make-folder.ts'
import { forbiddenAt } from './platform/files/permission.ts'
import { readPlainFile } from './platform/files/plain-file.ts'
import { missingRights } from './platform/files/rights.ts'
import { unusable } from './platform/files/unusable.ts'
import { atLeastOne, type Env, headerText, wholeNumber } from './platform/variables.ts'
import { type ProofSettings, proofOf } from './proof/settings.ts'
import { type TelemetrySettings, telemetryOf } from './telemetry/settings.ts'

export type Config = Readonly<{
  host: string
  port: number
  /** The address at which clients reach the server; undefined: the address on which it listens. */
  publicUrl: PublicUrl | undefined
  dataDir: string
  adminToken: string | undefined
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  maxRunningTasks: number
  /** Limits for each user and for all users together. */
  quotas: QuotaLimits
  bodyLimit: number
  drainSeconds: number
  workspaceRoot: string
  /** The endpoint of a model; undefined: there is no agent `model`. */
  model: ModelSettings | undefined
  /** The operator's MCP servers, by name. */
  mcpServers: ReadonlyMap<string, McpServer>
  /** Milliseconds after which a call of an agent by MCP becomes a task, if its client knows tasks. */
  mcpTaskAfterMs: number
  /** Whether URLs that callers give may lead to addresses that are not public. */
  allowPrivateUrls: boolean
  /** Whether the log records who read which tasks. */
  auditReads: boolean
  /** Whether a page shows developers what running actors do. */
  inspectActors: boolean
  /** Pages of these origins may use the API from a browser; `*`: pages of all origins. */
  allowedOrigins: readonly string[]
  environments: Readonly<EnvironmentSettings>
  agentHosts: Readonly<AgentHostSettings>
  /** Whether shell commands of workspaces run without a sandbox if this machine has none. */
  allowUnsandboxedShell: boolean
  /**
   * The first of the system user ids that processes for users get when the server runs as root. 0: these processes have
   * the user id of the server.
   */
  firstUserId: number
  sessionIdleSeconds: number
  /** Where spans are exported; undefined: nowhere. */
  telemetry: TelemetrySettings | undefined
  proof: ProofSettings
  /** The rules that say which ended tasks are erased, and after how many days. */
  retention: readonly RetentionRule[]
  /** Undefined: NATS is not used, and subscribers get events directly from the log. */
  nats: NatsSettings | undefined
  /** Undefined: this server is a single machine. */
  cluster: ClusterSettings | undefined
  ttls: Readonly<Record<'created' | 'queued' | 'working' | 'paused' | 'input-required', number>>
}>

/** True for 1, false for 0 or an unset variable. */
const flag = (env: Env, name: string): boolean => {
  const given = env[name] || '0'
  if (given !== '0' && given !== '1') throw new CannotStart(`${name}=${given} is neither 0 nor 1`)
  return given === '1'
}

/** In each quota, 0 means no limit. */
const quotasOf = (env: Env): QuotaLimits =>
  Object.freeze({
    tasks: wholeNumber(env, 'QUOTA_TASKS', 10_000),
    sessions: wholeNumber(env, 'QUOTA_SESSIONS', 128),
    streams: wholeNumber(env, 'QUOTA_STREAMS', 2000),
    sockets: wholeNumber(env, 'QUOTA_SOCKETS', 1000),
    disk: wholeNumber(env, 'QUOTA_DISK_MB', 4096) * 2 ** 20,
    webhooks: wholeNumber(env, 'QUOTA_WEBHOOKS', 100),
    cron_jobs: wholeNumber(env, 'QUOTA_CRON_JOBS', 1000),
    max_sessions: wholeNumber(env, 'MAX_SESSIONS', 256),
    max_streams: wholeNumber(env, 'MAX_STREAMS', 20_000),
  })

const originsOf = (env: Env): readonly string[] => {
  const named = (env.ALLOWED_ORIGINS ?? '').split(',').map(text => text.trim())
  return Object.freeze(named.filter(text => text !== '').map(originOf))
}
const originOf = (text: string): string => {
  const isOrigin = !text.includes('*') && URL.canParse(text) && new URL(text).origin === text
  if (text === '*' || isOrigin) return text
  throw new CannotStart(`ALLOWED_ORIGINS: ${text} is no origin, such as https://app.example.com`)
}

/**
 * Returns the absolute path of a folder. Throws CannotStart if the folder does not exist. With `made`, the server makes
 * the folder later, so it is enough that the nearest existing path above it is a folder.
 */
const folderOf = (name: string, given: string, made: boolean): string => {
  const folder = path.resolve(given)
  let there = folder
  try {
    while (made && statSync(there, { throwIfNoEntry: false }) === undefined) there = path.dirname(there)
    if (isFolder(there)) return folder
  } catch {}
  const why = forbiddenAt(folder)
  throw new CannotStart(
    why === undefined ? `${name}=${given} is no folder` : `${name}=${given} cannot be used: ${why}`,
  )
}

/** The folder of agents. Throws CannotStart if it does not exist, or has a file with a wrong name. */
const agentFolderOf = (given: string): string => {
  const folder = folderOf('AGENT_PATH', given, false)
  let wrong: FolderProblem | undefined
  try {
    wrong = readAgentFolder(folder, builtinNames).problems[0]
  } catch (error) {
    throw unusable(folder, error, { name: `AGENT_PATH=${given}` })
  }
  if (wrong === undefined) return folder
  throw new CannotStart(`AGENT_PATH=${given} cannot be used: the file ${wrong.file} ${wrong.problem}`)
}

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const

export const readConfig = (env: Env): Config => {
  const dataDir = path.resolve(env.DATA_DIR || 'data')
  const level = env.LOG_LEVEL || 'warn'
  const logLevel = levels.find(known => known === level)
  if (logLevel === undefined) throw new CannotStart(`LOG_LEVEL=${level} is none of ${levels.join(', ')}`)
  const bodyLimit = wholeNumber(env, 'BODY_LIMIT', 32 * 1024 * 1024)
  if (bodyLimit === 0)
    throw new CannotStart('BODY_LIMIT=0 would refuse every request with a body: set it to 1 or more')
  const ttl = (name: string, fallback: number) =>
    wholeNumber(env, `TASK_TTL_${name}`, fallback, 3_153_600_000)
  const week = 7 * 24 * 3600
  if (env.ADMIN_TOKEN && !headerText.test(env.ADMIN_TOKEN)) {
    throw new CannotStart('ADMIN_TOKEN must be printable ASCII without spaces, since it is sent in a header')
  }
  const model = modelOf(env)
  return Object.freeze({
    host: env.HOST || '127.0.0.1',
    port: wholeNumber(env, 'PORT', 8080, 65535),
    publicUrl: publicUrlOf(env),
    dataDir,
    adminToken: env.ADMIN_TOKEN || undefined,
    logLevel,
    maxRunningTasks: wholeNumber(env, 'MAX_RUNNING_TASKS', 0),
    quotas: quotasOf(env),
    bodyLimit,
    drainSeconds: wholeNumber(env, 'DRAIN_SECONDS', 8, 3600),
    model,
    workspaceRoot: env.WORKSPACE_ROOT
      ? folderOf('WORKSPACE_ROOT', env.WORKSPACE_ROOT, true)
      : path.join(dataDir, 'workspace'),
    mcpServers: readMcpConfig(env.MCP_CONFIG || undefined, env),
    mcpTaskAfterMs: wholeNumber(env, 'MCP_TASK_AFTER_MS', 5000, 86_400_000),
    allowPrivateUrls: flag(env, 'ALLOW_PRIVATE_URLS'),
    auditReads: flag(env, 'AUDIT_READS'),
    inspectActors: flag(env, 'INSPECT_ACTORS'),
    allowedOrigins: originsOf(env),
    environments: Object.freeze({
      path: env.ENV_PATH ? folderOf('ENV_PATH', env.ENV_PATH, false) : undefined,
      byDefault: env.ENV_DEFAULT || 'gridworld',
      stepTimeoutMs: atLeastOne(env, 'ENV_STEP_TIMEOUT_MS', 30_000, 86_400_000),
      memoryMb: atLeastOne(env, 'ENV_MEMORY_MB', 512, 1_048_576),
    }),
    agentHosts: Object.freeze({
      path: env.AGENT_PATH ? agentFolderOf(env.AGENT_PATH) : undefined,
      memoryMb: atLeastOne(env, 'AGENT_MEMORY_MB', 512, 1_048_576),
      stallMs: atLeastOne(env, 'AGENT_STALL_MS', 10_000, 86_400_000),
    }),
    allowUnsandboxedShell: flag(env, 'ALLOW_UNSANDBOXED_SHELL'),
    firstUserId: wholeNumber(env, 'ENV_UID_BASE', 70_000, 2 ** 31),
    sessionIdleSeconds: wholeNumber(env, 'ENV_SESSION_IDLE_SECONDS', 3600, 3_153_600_000),
    telemetry: telemetryOf(env),
    nats: natsOf(env),
    cluster: clusterOf(env),
    proof: proofOf(env, dataDir),
    retention: readRetention(env.RETENTION || undefined),
    ttls: Object.freeze({
      created: ttl('CREATED', 3600),
      queued: ttl('QUEUED', 24 * 3600),
      working: ttl('WORKING', 3600),
      paused: ttl('PAUSED', week),
      'input-required': ttl('INPUT_REQUIRED', week),
    }),
  })
}

/** Throws CannotStart when tasks could not write their files below WORKSPACE_ROOT. */
export const checkWorkspaceRoot = ({ workspaceRoot }: Config): void => {
  const forbidden = forbiddenAt(workspaceRoot)
  if (forbidden === undefined) return
  throw new CannotStart(
    `WORKSPACE_ROOT=${workspaceRoot} cannot be used: ${forbidden}; or set another WORKSPACE_ROOT`,
  )
}

/**
 * Makes the data folder, or checks that this process may use it with everything in it. `others`: files elsewhere that
 * the server reads. Throws CannotStart, which names everything that may not be used.
 */
export const makeDataDir = (dataDir: string, others: readonly string[] = []): void => {
  const name = `DATA_DIR=${dataDir}`
  const problem = missingRights(dataDir, others)
  if (problem !== undefined)
    throw new CannotStart(`${name} cannot be used: ${problem}; or set another DATA_DIR`)
  try {
    makeOwnFolder(dataDir)
  } catch (error) {
    throw unusable(dataDir, error, { name })
  }
}

/** The form of a token in a file. It must be long, so that what is left in a truncated file does not count as one. */
const longToken = /^[\x21-\x7e]{16,}$/

/** A token with fewer characters, or with fewer different characters, is weak. */
const leastLength = 16
const leastDifferent = 8
/** Whether a token that somebody chose has too few characters, or too few different characters. */
export const isWeak = (token: string | undefined): boolean =>
  token !== undefined && (token.length < leastLength || new Set(token).size < leastDifferent)

/** ADMIN_TOKEN or, without it, the token in the data folder, which is made if it is missing. Throws CannotStart. */
export const adminTokenOf = (config: Config): string => {
  if (config.adminToken !== undefined) return config.adminToken
  const file = filesOf(config.dataDir).adminToken
  try {
    const kept = existsSync(file) ? readPlainFile(file).trim() : ''
    if (kept !== '' && !longToken.test(kept))
      throw new CannotStart(`${file} holds no token: remove it, and a new one is made`)
    if (kept !== '') return kept
    const made = `rp_${randomBytes(32).toString('base64url')}`
    writeFileSync(file, `${made}\n`, { mode: 0o600 })
    return made
  } catch (error) {
    throw unusable(file, error)
  }
}
