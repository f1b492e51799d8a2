// The names of the public events, and the channel of the WebSocket that carries each of them. The console imports this
// file, so it has no schemas.

/** The channels of public events. A further channel, `task`, carries the frames of one task. */
export const eventChannels = ['tasks', 'sessions', 'agents', 'group', 'cron', 'webhooks'] as const
export type EventChannel = (typeof eventChannels)[number]

const channelsByName = {
  TaskCreated: 'tasks',
  TaskUpdated: 'tasks',
  TaskDeleted: 'tasks',
  TaskStatusChanged: 'tasks',
  AgentSpawned: 'agents',
  AgentCompleted: 'agents',
  AgentError: 'agents',
  GroupChatMessage: 'group',
  GroupChatAgentThinking: 'group',
  GroupChatAgentResponse: 'group',
  CronJobTriggered: 'cron',
  CronJobCompleted: 'cron',
  CronJobFailed: 'cron',
  EnvSessionCreated: 'sessions',
  EnvStepCompleted: 'sessions',
  EnvSessionReset: 'sessions',
  EnvSessionClosed: 'sessions',
  EnvSessionDeleted: 'sessions',
  WebhookDisabled: 'webhooks',
} satisfies Record<string, EventChannel>
export type EventName = keyof typeof channelsByName

/** Every name for which a subscriber may ask. */
export const eventNames = Object.keys(channelsByName) as EventName[]
/** The channel that carries a message of this type. A message of a type without an entry (`Gap`) comes on `tasks`. */
export const channelOf = (type: string): EventChannel =>
  Object.hasOwn(channelsByName, type) ? channelsByName[type as EventName] : 'tasks'
