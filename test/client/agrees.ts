// The types of the client are those of the schemas of the server: the compiler checks it.
import type { Static } from 'typebox'
import type * as made from '../../library/client/types.ts'
import type * as answers from '../../src/contract/responses.ts'
import type * as wire from '../../src/contract/wire.ts'

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never

export const agree: {
  Task: Same<Static<typeof wire.Task>, made.Task>
  OutputItem: Same<wire.OutputItem, made.OutputItem>
  PendingCallItem: Same<wire.PendingCallItem, made.PendingCallItem>
  CreateTaskBody: Same<wire.CreateTaskBody, made.CreateTaskBody>
  AnswerCallsBody: Same<wire.AnswerCallsBody, made.AnswerCallsBody>
  DecideApprovalBody: Same<wire.DecideApprovalBody, made.DecideApprovalBody>
  ForkTaskBody: Same<wire.ForkTaskBody, made.ForkTaskBody>
  AgentConfig: Same<wire.AgentConfig, made.AgentConfig>
  AgentInfo: Same<wire.AgentInfo, made.AgentInfo>
  ToolDefinition: Same<wire.ToolDefinition, made.ToolDefinition>
  CreateEnvBody: Same<wire.CreateEnvBody, made.CreateEnvBody>
  StepEnvBody: Same<wire.StepEnvBody, made.StepEnvBody>
  EnvStepAnswer: Same<wire.EnvStepAnswer, made.EnvStepAnswer>
  EnvSession: Same<wire.EnvSession, made.EnvSession>
  CreateCronJobBody: Same<wire.CreateCronJobBody, made.CreateCronJobBody>
  CronJob: Same<wire.CronJob, made.CronJob>
  CronRun: Same<wire.CronRun, made.CronRun>
  CreateWebhookBody: Same<wire.CreateWebhookBody, made.CreateWebhookBody>
  Webhook: Same<wire.WebhookInfo, made.Webhook>
  WebhookDelivery: Same<wire.WebhookDelivery, made.WebhookDelivery>
  TaskCounts: Same<Static<typeof answers.TaskCounts>, made.TaskCounts>
  TaskSummary: Same<Static<typeof answers.TaskSummary>, made.TaskSummary>
  Difference: Same<answers.Difference, made.Difference>
} = {
  Task: true,
  OutputItem: true,
  PendingCallItem: true,
  CreateTaskBody: true,
  AnswerCallsBody: true,
  DecideApprovalBody: true,
  ForkTaskBody: true,
  AgentConfig: true,
  AgentInfo: true,
  ToolDefinition: true,
  CreateEnvBody: true,
  StepEnvBody: true,
  EnvStepAnswer: true,
  EnvSession: true,
  CreateCronJobBody: true,
  CronJob: true,
  CronRun: true,
  CreateWebhookBody: true,
  Webhook: true,
  WebhookDelivery: true,
  TaskCounts: true,
  TaskSummary: true,
  Difference: true,
}
