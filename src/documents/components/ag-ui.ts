// The bodies of AG-UI. Its own specification explains their fields; here stands what each does to a task.
import { AgUiEvent } from '../../contract/ag-ui/events.ts'
import { AgUiMessage, AgUiPart, RunAgentInput } from '../../contract/ag-ui/input.ts'
import type { Components } from '../component.ts'

export const agUiComponents: Components = {
  RunAgentInput: {
    schema: RunAgentInput,
    about: 'A request for a run. Fields that are not here are ignored, and named in `X-Ignored-Fields`.',
    fields: {
      threadId: 'The session.',
      runId: 'The id of the task, unless the body answers a task that waits.',
      protocolVersion: 'The version that the client speaks. Without it, the client is older than 1.0.',
      parentRunId: 'Is in `metadata.ag_ui` of the task.',
      state: 'Goes to the model, is in `metadata.ag_ui` of the task, and comes back in an event.',
      messages: 'The whole conversation. What the session has already is not added again.',
      tools: 'Tools that the front end runs (`client_tools`).',
      context: 'Goes to the model, with the instructions.',
      forwardedProps: 'Is in `metadata.ag_ui` of the task.',
      resume: 'Answers to interrupts.',
    },
  },
  AgUiMessage: { schema: AgUiMessage, about: 'A message of a conversation.' },
  AgUiPart: { schema: AgUiPart, about: 'A part of a message.' },
  AgUiEvent: { schema: AgUiEvent, about: 'An event of a run.' },
}
