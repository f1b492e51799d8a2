// The settings that nodes compare: which ones, and what their digests tell.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import tap, { type Test } from 'tap'
import { clusterKeysOf } from '../../src/cluster/cluster-key.ts'
import { readConfig } from '../../src/config.ts'
import { commonSettings } from '../../src/node/common-settings.ts'

const keys = clusterKeysOf(Buffer.alloc(32, 1))

/** The settings of a node with these variables, and the names of those that differ from another node's. */
const settingsOf = (env: Record<string, string>, key = keys.settings) => commonSettings(readConfig(env), key)
const differing = (one: Record<string, string>, other: Record<string, string>): string[] => {
  const [ours, theirs] = [settingsOf(one), settingsOf(other)]
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)])
  return [...names].filter(name => ours[name] !== theirs[name]).sort()
}
const filesOf = (t: Test) => {
  const folder = t.testdir()
  const file = (name: string, content: unknown) => {
    writeFileSync(path.join(folder, name), JSON.stringify(content))
    return path.join(folder, name)
  }
  mkdirSync(path.join(folder, 'env'))
  return { folder, file }
}

tap.test('what is a node’s own is not compared, and a default is the same as its value', async t => {
  const { folder } = filesOf(t)
  const own = {
    ...{ HOST: '10.0.0.1', PORT: '81', DATA_DIR: path.join(folder, 'a'), LOG_LEVEL: 'debug', NODE_NAME: 'a' },
    ...{
      DRAIN_SECONDS: '1',
      INSPECT_ACTORS: '1',
      AUDIT_KEY_FILE: '/k',
      CHECKPOINT_FILE: '/c',
      ENV_UID_BASE: '0',
    },
    ...{ CLUSTER: '1', NATS_URL: 'nats://n1', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel' },
  }
  t.same(differing(own, { NATS_URL: 'nats://n2', DATA_DIR: path.join(folder, 'b') }), [])
  t.same(differing({}, { TASK_TTL_CREATED: '3600', QUOTA_TASKS: '10000', ALLOWED_ORIGINS: '' }), [])
  t.same(differing({ ALLOWED_ORIGINS: 'http://a,http://b' }, { ALLOWED_ORIGINS: 'http://b,http://a' }), [])
})

tap.test('every variable that decides what clients see or what a task does is compared', async t => {
  const { folder, file } = filesOf(t)
  const changes: Record<string, string> = {
    ADMIN_TOKEN: 'a-token-of-the-admin',
    ALLOWED_ORIGINS: 'https://app.example',
    ALLOW_PRIVATE_URLS: '1',
    ALLOW_UNSANDBOXED_SHELL: '1',
    AUDIT_READS: '1',
    BODY_LIMIT: '7',
    ENV_DEFAULT: 'chess',
    ENV_MEMORY_MB: '7',
    ENV_PATH: path.join(folder, 'env'),
    ENV_SESSION_IDLE_SECONDS: '7',
    ENV_STEP_TIMEOUT_MS: '7',
    MAX_RUNNING_TASKS: '7',
    MAX_SESSIONS: '7',
    MAX_STREAMS: '7',
    MCP_CONFIG: file('mcp.json', { mcpServers: { files: { url: 'http://files' } } }),
    NATS_URL: 'nats://n1',
    PUBLIC_URL: 'https://example.com/reprise',
    QUOTA_CRON_JOBS: '7',
    QUOTA_DISK_MB: '7',
    QUOTA_SESSIONS: '7',
    QUOTA_SOCKETS: '7',
    QUOTA_STREAMS: '7',
    QUOTA_TASKS: '7',
    QUOTA_WEBHOOKS: '7',
    RETENTION: file('retention.json', [{ older_than_days: 7 }]),
    TASK_TTL_CREATED: '7',
    TASK_TTL_INPUT_REQUIRED: '7',
    TASK_TTL_PAUSED: '7',
    TASK_TTL_QUEUED: '7',
    TASK_TTL_WORKING: '7',
    WITNESS_URLS: 'https://witness.example',
    WORKSPACE_ROOT: folder,
  }
  for (const [name, value] of Object.entries(changes)) t.same(differing({}, { [name]: value }), [name])

  const model = { MODEL_BASE_URL: 'http://m/v1', MODEL: 'm' }
  const ofModel: Record<string, string> = {
    MODEL: 'n',
    MODEL_API_KEY: 'key',
    MODEL_BASE_URL: 'http://n/v1',
    MODEL_DIALECT: 'anthropic',
    MODEL_MAX_SECONDS: '7',
    MODEL_MAX_STEPS: '7',
    MODEL_MAX_TOKENS: '7',
    MODEL_SWITCHES: 'stream=off',
    MODEL_TIMEOUT_SECONDS: '7',
  }
  for (const [name, value] of Object.entries(ofModel))
    t.same(differing(model, { ...model, [name]: value }), [name])
  const provider = { MODEL_PROVIDER: '@ai-sdk/x', MODEL: 'm' }
  t.same(differing(provider, { ...provider, MODEL_PROVIDER_OPTIONS: '{"region":"x"}' }), [
    'MODEL_PROVIDER_OPTIONS',
  ])
  t.same(differing(provider, { ...provider, MODEL_PROVIDER: '@ai-sdk/y' }), ['MODEL_PROVIDER'])
})

tap.test('a digest tells nothing without the cluster key', async t => {
  const token = {
    ADMIN_TOKEN: 'a-token-of-the-admin',
    MODEL_BASE_URL: 'http://m/v1',
    MODEL: 'm',
    MODEL_API_KEY: 'sk',
  }
  const settings = settingsOf(token)
  t.notMatch(JSON.stringify(settings), /a-token|http:|"sk"/)
  const other = settingsOf(token, clusterKeysOf(Buffer.alloc(32, 2)).settings)
  t.notOk(Object.keys(settings).some(name => settings[name] === other[name]))
})
