// Webhooks that rest: one is disabled before it is deleted, and that of a task is deleted while its receiver is away.
import type { Stage } from './stage.ts'

/** No recording may call anybody: the server refuses this address. */
const url = 'http://127.0.0.1:9/'

export const playWebhooks = async ({ must }: Stage): Promise<void> => {
  const wanted = { url, types: ['TaskCreated'], headers: { 'x-team': 'blue' }, enabled: false }
  const { id } = await must('POST', '/webhooks', wanted)
  await must('POST', `/webhooks/${id}/rotate-secret`)
  await must('PATCH', `/webhooks/${id}`, { types: null, session_id: 's1' })
  await must('POST', `/webhooks/${id}/test`)
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  await must('POST', '/tasks', {
    user_message_content: 'with a webhook',
    stream: false,
    client_id: 'echo',
    task_id: 'with-webhook',
    webhook: { url, types: ['TaskStatusChanged'], secret },
  })
  await must('DELETE', '/webhooks/wht_with-webhook')
  await must('DELETE', `/webhooks/${id}`)
  const authentication = { scheme: 'Bearer', credentials: 'secret' }
  const { task } = await must('POST', '/../a2a/echo/message:send', {
    message: { messageId: 'pushed', role: 'ROLE_USER', parts: [{ text: 'with a push' }] },
    configuration: { taskPushNotificationConfig: { url, token: 'hush', authentication } },
  })
  const pushed = (task as unknown as { id: string }).id
  await must('DELETE', `/webhooks/wht_${pushed}`)
  // Its task has ended already.
  const configs = `/../a2a/echo/tasks/${pushed}/pushNotificationConfigs`
  await must('POST', configs, { id: 'late', url })
  await must('DELETE', `${configs}/late`)
}
