// Push notifications: a configuration is a webhook for one task.
import type { PushConfig } from '../../contract/a2a/objects.ts'
import type {
  CreatePushConfigRequest,
  ListPushConfigsRequest,
  OnePushConfigRequest,
} from '../../contract/a2a/requests.ts'
import type { GivenPush } from '../../contract/events/webhook-events.ts'
import type { Webhook } from '../../history/webhook.ts'
import { askedOf } from '../../http/request/request.ts'
import { type Call, rowOfTask } from './call.ts'
import { A2AProblem, wrongParameter } from './errors.ts'

/** A configuration as answers show it: without its secrets. */
const shown = ({ settings: { url, task_id, push } }: Webhook): PushConfig => ({
  ...(push === undefined ? {} : { id: push.id }),
  ...(task_id === undefined ? {} : { taskId: task_id }),
  url,
  ...(push?.scheme === undefined ? {} : { authentication: { scheme: push.scheme } }),
})

/** A configuration as a webhook. `own`: its id, if it brings none. */
export const pushOf = ({ id, url, token, authentication: given }: PushConfig, own: string): GivenPush => ({
  protocol: 'a2a',
  id: id || own,
  ...(given === undefined ? {} : { scheme: given.scheme }),
  ...(token ? { token: true as const } : {}),
  url,
  headers: {
    ...(given === undefined ? {} : { authorization: `${given.scheme} ${given.credentials ?? ''}`.trim() }),
    ...(token ? { 'x-a2a-notification-token': token } : {}),
  },
})

/** Sets up a configuration for a task. */
export const setUpPush = ({ deps, request }: Call, taskId: string, push: GivenPush): Promise<Webhook> =>
  deps.webhooks.commands.push(askedOf(request), taskId, push)

/** Removes a webhook. False: it has ended already. */
export const dropPush = async (
  { deps, request }: Call,
  taskId: string,
  { id }: Webhook,
): Promise<boolean> => {
  const { commands } = deps.webhooks
  if (!commands.pushes(request.principal, taskId).some(webhook => webhook.id === id)) return false
  await commands.remove(askedOf(request), id)
  return true
}

const pushesOf = (call: Call, taskId: string): Webhook[] => {
  rowOfTask(call, taskId)
  return call.deps.webhooks.commands.pushes(call.request.principal, taskId)
}
const found = (call: Call, { taskId, id }: OnePushConfigRequest): Webhook | undefined =>
  pushesOf(call, taskId).find(({ settings }) => settings.push?.id === id)

export const createPush = async (call: Call, config: CreatePushConfigRequest): Promise<PushConfig> => {
  const { taskId } = config
  rowOfTask(call, taskId)
  return shown(await setUpPush(call, taskId, pushOf(config, `push_${call.deps.serving.newId()}`)))
}

export const getPush = async (call: Call, asked: OnePushConfigRequest): Promise<PushConfig> => {
  const webhook = found(call, asked)
  if (webhook !== undefined) return shown(webhook)
  throw new A2AProblem('TASK_NOT_FOUND', 'This task has no push notification configuration with this id', {
    taskId: asked.taskId,
  })
}

export const listPushes = async (
  call: Call,
  { taskId, pageSize = 100, pageToken = '' }: ListPushConfigsRequest,
): Promise<{ configs: PushConfig[]; nextPageToken: string }> => {
  if (!/^\d{0,15}$/.test(pageToken))
    throw wrongParameter(['pageToken'], 'Give the nextPageToken of a page, unchanged')
  const rest = pushesOf(call, taskId).filter(({ made }) => made > Number(pageToken))
  const page = rest.slice(0, pageSize)
  const last = rest.length > pageSize ? page.at(-1) : undefined
  return { configs: page.map(shown), nextPageToken: last === undefined ? '' : String(last.made) }
}

/** Removes a configuration, if it is there. */
export const deletePush = async (call: Call, asked: OnePushConfigRequest): Promise<object> => {
  const webhook = found(call, asked)
  if (webhook !== undefined) await call.deps.webhooks.commands.remove(askedOf(call.request), webhook.id)
  return {}
}
