// The names of the public events.

/** Every name that a subscriber may ask for. The server does not send all of these events yet. */
export const eventNames = [
  'TaskCreated',
  'TaskUpdated',
  'TaskDeleted',
  'TaskStatusChanged',
  'AgentSpawned',
  'AgentCompleted',
  'AgentError',
  'GroupChatMessage',
  'GroupChatAgentThinking',
  'GroupChatAgentResponse',
  'CronJobTriggered',
  'CronJobCompleted',
  'CronJobFailed',
  'EnvSessionCreated',
  'EnvStepCompleted',
  'EnvSessionReset',
  'EnvSessionClosed',
  'EnvSessionDeleted',
  'WebhookDisabled',
] as const
export type EventName = (typeof eventNames)[number]
