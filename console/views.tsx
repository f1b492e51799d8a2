// The views, by the path of the address. The code of a view is loaded when somebody opens it.
import { type Signal, signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import type { TokenAccess } from '../src/access/roles.ts'
import { doubt } from './api/reach.ts'
import { Home } from './home/home.tsx'

export type View = ComponentType<{ id: string }>

/** Whether the server is there, but no longer has the code of this page: it runs another version now. */
export const isOutdated = signal(false)

/** The code of a view is asked for so often. Some browsers ask the server only the first time. */
const mostTries = 3
const retryMs = 1000

/** Loads a view once, as soon as the server is there. */
const later = (load: () => Promise<View>): (() => Signal<View | undefined>) => {
  const view = signal<View | undefined>(undefined)
  let isLoading = false
  const tryLoad = async () => {
    isLoading = true
    for (let tries = 0; tries < mostTries; tries++) {
      const loaded = await load().catch(() => undefined)
      if (loaded !== undefined) {
        view.value = loaded
        return
      }
      await doubt()
      await new Promise(resolve => setTimeout(resolve, tries * retryMs))
    }
    isOutdated.value = true
    isLoading = false
  }
  return () => {
    if (view.peek() === undefined && !isLoading) void tryLoad()
    return view
  }
}

const home = signal<View | undefined>(Home)
const paths: readonly [RegExp, () => Signal<View | undefined>][] = [
  [/^\/$/, () => home],
  [/^\/tasks\/([^/]+)$/, later(async () => (await import('./task/task.tsx')).TaskView)],
  [/^\/diff\/([^/]+)$/, later(async () => (await import('./diff/partners.tsx')).PartnersView)],
  [/^\/diff\/([^/]+\/[^/]+)$/, later(async () => (await import('./diff/diff.tsx')).DiffView)],
  [/^\/proof\/(\d{1,15})$/, later(async () => (await import('./proof/proof.tsx')).ProofView)],
  [/^\/env$/, later(async () => (await import('./env/env-list.tsx')).EnvList)],
  [/^\/env\/([^/]+)$/, later(async () => (await import('./env/env.tsx')).EnvView)],
  [/^\/sessions$/, later(async () => (await import('./sessions/session-list.tsx')).SessionList)],
  [/^\/sessions\/([^/]+)$/, later(async () => (await import('./sessions/session.tsx')).SessionView)],
  [/^\/chats\/([^/]+)$/, later(async () => (await import('./sessions/chat.tsx')).ChatView)],
  [/^\/agents$/, later(async () => (await import('./agents/agent-list.tsx')).AgentList)],
  [/^\/cron$/, later(async () => (await import('./cron/cron-list.tsx')).CronList)],
  [/^\/cron\/([^/]+)$/, later(async () => (await import('./cron/job.tsx')).JobView)],
  [/^\/webhooks$/, later(async () => (await import('./webhooks/webhook-list.tsx')).WebhookList)],
  [/^\/webhooks\/([^/]+)$/, later(async () => (await import('./webhooks/webhook.tsx')).WebhookView)],
  [/^\/audit$/, later(async () => (await import('./audit/audit.tsx')).AuditView)],
  [/^\/audit\/([^/]+)$/, later(async () => (await import('./audit/stream.tsx')).StreamView)],
  [/^\/tokens$/, later(async () => (await import('./tokens/tokens.tsx')).TokensView)],
  [/^\/usage$/, later(async () => (await import('./usage/usage.tsx')).UsageView)],
  [/^\/system$/, later(async () => (await import('./system/system.tsx')).SystemView)],
]

/**
 * The links of the head, to the views that show all of one kind. `access`: a role without it sees no such link.
 * `own`: the paths at which the link is marked.
 */
export const entries: readonly { path: string; title: string; access: TokenAccess; own: RegExp }[] = [
  { path: '/', title: 'Tasks', access: 'read', own: /^\/((tasks|diff)\/.*)?$/ },
  { path: '/env', title: 'Environments', access: 'read', own: /^\/env(\/|$)/ },
  { path: '/sessions', title: 'Conversations', access: 'read', own: /^\/(sessions|chats)(\/|$)/ },
  { path: '/agents', title: 'Agents', access: 'read', own: /^\/agents$/ },
  { path: '/cron', title: 'Cron jobs', access: 'read', own: /^\/cron(\/|$)/ },
  { path: '/webhooks', title: 'Webhooks', access: 'read', own: /^\/webhooks(\/|$)/ },
  { path: '/audit', title: 'Log', access: 'read', own: /^\/(audit|proof)(\/|$)/ },
  { path: '/usage', title: 'Usage', access: 'read', own: /^\/usage$/ },
  { path: '/tokens', title: 'Tokens', access: 'manage', own: /^\/tokens$/ },
  { path: '/system', title: 'System', access: 'audit', own: /^\/system$/ },
]

export type Opened = { view: Signal<View | undefined>; id: string }

/** The view at a path; undefined when there is none. */
export const viewAt = (path: string): Opened | undefined => {
  for (const [pattern, view] of paths) {
    const found = pattern.exec(path)
    if (found !== null) return { view: view(), id: decodeURIComponent(found[1] ?? '') }
  }
  return undefined
}
