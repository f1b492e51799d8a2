// The settings that all nodes of a cluster should have in common, since any node may own the log later. Nodes compare
// digests of them. A digest is an HMAC with a key that only nodes have, so the digest of a short secret cannot be guessed.
import { createHmac } from 'node:crypto'
import path from 'node:path'
import type { ModelSettings } from '../agents/model/settings.ts'
import type { Digests } from '../cluster/introduction.ts'
import type { Config } from '../config.ts'
import { canonical } from '../contract/json/canonical.ts'
import type { QuotaLimits } from '../fairness/quotas.ts'

/** Values by the name of the variable that sets them. Undefined: it is not set, and has no default. */
type Values = Record<string, unknown>

const quotaVariables: Record<keyof QuotaLimits, string> = {
  tasks: 'QUOTA_TASKS',
  sessions: 'QUOTA_SESSIONS',
  streams: 'QUOTA_STREAMS',
  sockets: 'QUOTA_SOCKETS',
  disk: 'QUOTA_DISK_MB',
  webhooks: 'QUOTA_WEBHOOKS',
  cron_jobs: 'QUOTA_CRON_JOBS',
  max_sessions: 'MAX_SESSIONS',
  max_streams: 'MAX_STREAMS',
}

const ofModel = (model: ModelSettings): Values => {
  const address =
    'provider' in model
      ? {
          MODEL_PROVIDER: model.provider.name,
          MODEL_PROVIDER_OPTIONS: model.provider.options,
          MODEL_BASE_URL: model.provider.baseUrl,
          MODEL_API_KEY: model.provider.apiKey,
        }
      : { MODEL_BASE_URL: model.baseUrl, MODEL_API_KEY: model.apiKey, MODEL_DIALECT: model.dialect }
  const { steps, tokens, seconds } = model.limits
  return {
    ...address,
    MODEL: model.model,
    MODEL_SWITCHES: model.switches,
    MODEL_TIMEOUT_SECONDS: model.silenceMs,
    MODEL_MAX_STEPS: steps,
    MODEL_MAX_TOKENS: tokens,
    MODEL_MAX_SECONDS: seconds,
  }
}

/**
 * For each setting, the variables that all nodes should have in common; `own`: each node may have its own value. Every
 * setting is here, so a new one cannot be forgotten.
 */
const common: { [Name in keyof Config]: 'own' | ((value: Config[Name], config: Config) => Values) } = {
  host: 'own',
  port: 'own',
  dataDir: 'own',
  logLevel: 'own',
  drainSeconds: 'own',
  inspectActors: 'own',
  firstUserId: 'own',
  telemetry: 'own',
  cluster: 'own',
  publicUrl: url => ({ PUBLIC_URL: url?.href }),
  adminToken: token => ({ ADMIN_TOKEN: token }),
  maxRunningTasks: most => ({ MAX_RUNNING_TASKS: most }),
  quotas: limits =>
    Object.fromEntries(
      Object.entries(quotaVariables).map(([name, variable]) => [variable, limits[name as keyof QuotaLimits]]),
    ),
  bodyLimit: bytes => ({ BODY_LIMIT: bytes }),
  // Each node has a DATA_DIR of its own, so the default of WORKSPACE_ROOT is a different folder on each.
  workspaceRoot: (root, { dataDir }) => ({
    WORKSPACE_ROOT: root === path.join(dataDir, 'workspace') ? undefined : root,
  }),
  model: model => (model === undefined ? {} : ofModel(model)),
  mcpServers: servers => ({ MCP_CONFIG: servers.size === 0 ? undefined : Object.fromEntries(servers) }),
  mcpTaskAfterMs: ms => ({ MCP_TASK_AFTER_MS: ms }),
  allowPrivateUrls: allowed => ({ ALLOW_PRIVATE_URLS: allowed }),
  auditReads: audited => ({ AUDIT_READS: audited }),
  allowedOrigins: origins => ({ ALLOWED_ORIGINS: [...origins].sort() }),
  environments: ({ path, byDefault, stepTimeoutMs, memoryMb }) => ({
    ENV_PATH: path === undefined ? undefined : 'set', // the same modules may be at different paths
    ENV_DEFAULT: byDefault,
    ENV_STEP_TIMEOUT_MS: stepTimeoutMs,
    ENV_MEMORY_MB: memoryMb,
  }),
  agentHosts: ({ path, memoryMb, stallMs }) => ({
    AGENT_PATH: path === undefined ? undefined : 'set', // the same agents may be at different paths
    AGENT_MEMORY_MB: memoryMb,
    AGENT_STALL_MS: stallMs,
  }),
  allowUnsandboxedShell: allowed => ({ ALLOW_UNSANDBOXED_SHELL: allowed }),
  sessionIdleSeconds: seconds => ({ ENV_SESSION_IDLE_SECONDS: seconds }),
  proof: ({ witnesses }) => ({ WITNESS_URLS: [...witnesses].sort() }),
  retention: rules => ({ RETENTION: rules.length === 0 ? undefined : rules }),
  // Nodes may reach the same servers at different addresses.
  nats: settings => ({ NATS_URL: settings === undefined ? undefined : 'set' }),
  ttls: ttls =>
    Object.fromEntries(
      Object.entries(ttls).map(([state, seconds]) => [
        `TASK_TTL_${state.toUpperCase().replace('-', '_')}`,
        seconds,
      ]),
    ),
}

/** The digests of the settings that all nodes should have in common. `key`: the cluster's key for this purpose. */
export const commonSettings = (config: Config, key: Uint8Array): Digests => {
  const valuesOf = <Name extends keyof Config>(name: Name): Values => {
    const of = common[name]
    return of === 'own' ? {} : of(config[name], config)
  }
  const values = (Object.keys(common) as (keyof Config)[]).flatMap(name => Object.entries(valuesOf(name)))
  const digestOf = (variable: string, value: unknown): string =>
    createHmac('sha256', key)
      .update(`${variable}\n${canonical(value)}`)
      .digest('base64url')
  return Object.fromEntries(
    values.flatMap(([variable, value]) =>
      value === undefined ? [] : [[variable, digestOf(variable, value)]],
    ),
  )
}
