// The objects of the interface. Each has its schema in one file of wire/. Validation, static types and the published
// documents are made from these schemas. Objects are open: unknown fields pass unchanged.

export {
  AgentConfig,
  AgentInfo,
  chatEnd,
  chatUser,
  GroupConfig,
  groupAgent,
  SpeakerConfig,
  TaskSupport,
  WorkerInfo,
} from './wire/agent-config.ts'
export { Annotation, Logprob } from './wire/annotations.ts'
export { Block, type ContentPart, MessageContent, TextContentItem } from './wire/content.ts'
export {
  CronJob,
  CronJobList,
  CronJobMachine,
  CronRun,
  CronRunList,
  DeletedCronJob,
  runStatuses,
} from './wire/cron.ts'
export { ChangeCronJobBody, CreateCronJobBody } from './wire/cron-requests.ts'
export { CreateEnvBody, ResetEnvBody, SessionBody, StepEnvBody } from './wire/env-requests.ts'
export { EnvironmentInfo, EnvSession, EnvStepAnswer } from './wire/environments.ts'
export { HoldBody } from './wire/hold-requests.ts'
export { AsciiId, TextId } from './wire/ids.ts'
export {
  type ItemStatus,
  MessageItem,
  OutputItem,
  PendingCallItem,
  PendingMetadata,
  ReasoningItem,
  ToolCallItem,
  ToolResultItem,
} from './wire/items.ts'
export { Script, ScriptStep, scriptActions } from './wire/script.ts'
export { ErrorObject, reservedMetadata, Task, type Usage } from './wire/task.ts'
export {
  AnswerCallsBody,
  CreateTaskBody,
  DecideApprovalBody,
  ForkTaskBody,
  MachineEvent,
  PostMessageBody,
  RewardBody,
} from './wire/task-requests.ts'
export { isTerminal, type TaskStatus, taskStatuses, terminalStatuses } from './wire/task-status.ts'
export { CreateTokenBody, LoginBody, StreamTicketBody } from './wire/token-requests.ts'
export { OddTool, ToolDefinition } from './wire/tool-definition.ts'
export {
  ChangeWebhookBody,
  CreateWebhookBody,
  DeletedWebhook,
  DeliveryTry,
  RotateSecretBody,
  TaskWebhook,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookInfo,
  WebhookList,
  WebhookTry,
  WebhookWithSecret,
} from './wire/webhooks.ts'
