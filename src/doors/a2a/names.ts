// Names in requests: fields in camel case and in snake case, methods of this version and of 0.3, and versions.
import type { FastifyRequest } from 'fastify'
import { isExact } from '../../contract/json/exact-number.ts'
import { A2AProblem } from './errors.ts'

/** The methods of A2A 1.0. The access that each of them needs. */
export const methods = {
  SendMessage: 'write',
  SendStreamingMessage: 'write',
  GetTask: 'read',
  ListTasks: 'read',
  CancelTask: 'write',
  SubscribeToTask: 'read',
  CreateTaskPushNotificationConfig: 'write',
  GetTaskPushNotificationConfig: 'read',
  ListTaskPushNotificationConfigs: 'read',
  DeleteTaskPushNotificationConfig: 'write',
  GetExtendedAgentCard: 'read',
} as const
export type Method = keyof typeof methods

/** The names that 0.3 has for them. */
const aliases: Record<string, Method> = {
  'message/send': 'SendMessage',
  'message/stream': 'SendStreamingMessage',
  'tasks/get': 'GetTask',
  'tasks/list': 'ListTasks',
  'tasks/cancel': 'CancelTask',
  'tasks/resubscribe': 'SubscribeToTask',
  'tasks/pushNotificationConfig/set': 'CreateTaskPushNotificationConfig',
  'tasks/pushNotificationConfig/get': 'GetTaskPushNotificationConfig',
  'tasks/pushNotificationConfig/list': 'ListTaskPushNotificationConfigs',
  'tasks/pushNotificationConfig/delete': 'DeleteTaskPushNotificationConfig',
  'agent/getAuthenticatedExtendedCard': 'GetExtendedAgentCard',
}

/** The method of a name; undefined: there is none. */
export const methodOf = (name: string): Method | undefined =>
  Object.hasOwn(methods, name) ? (name as Method) : Object.hasOwn(aliases, name) ? aliases[name] : undefined

export const protocolVersion = '1.0'

/** Throws when the request asks for another version. Without a version, the request is one of this version. */
export const judgeVersion = ({ headers, query }: FastifyRequest): void => {
  const given = headers['a2a-version'] ?? (query as Record<string, unknown>)['A2A-Version'] ?? ''
  if (given === '' || /^1\.0(?:\.\d{1,9})?$/.test(String(given))) return
  const version = String(given).slice(0, 100)
  const message = `The version ${JSON.stringify(version)} of A2A is not supported: this server speaks ${protocolVersion}`
  throw new A2AProblem('VERSION_NOT_SUPPORTED', message, { parameter: 'A2A-Version', version })
}

/** Fields whose values belong to the caller: their keys stay as they are. */
const open: ReadonlySet<string> = new Set(['metadata', 'data'])
const camel = (name: string): string =>
  name.replace(/(?<=.)_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The value with all names in camel case. If there is nothing to change, the function returns `value` itself. */
export const inCamel = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const items = value.map(inCamel)
    return items.some((item, n) => item !== value[n]) ? items : value
  }
  if (typeof value !== 'object' || value === null || isExact(value)) return value
  const entries = Object.entries(value)
  const changed = entries.map(([name, each]): [string, unknown] => [
    camel(name),
    open.has(camel(name)) ? each : inCamel(each),
  ])
  const isSame = changed.every(([name, each], n) => name === entries[n]?.[0] && each === entries[n][1])
  // A name in camel case wins over the same name in snake case.
  return isSame ? value : { ...Object.fromEntries(changed), ...ownCamel(entries, changed) }
}
const ownCamel = (entries: [string, unknown][], changed: [string, unknown][]): Record<string, unknown> =>
  Object.fromEntries(changed.filter(([name], n) => name === entries[n]?.[0]))
