// Common to all operations: envelopes and errors.
import * as answers from '../../contract/responses.ts'
import type { Components } from '../component.ts'

export const envelopeFields = {
  jsonrpc: 'Always `2.0`.',
  id: 'The id of the request: `request_id` of the body, else the header `X-Request-ID`, else one that the server makes.',
}
export const envelopeComponents: Components = {
  TaskEnvelope: {
    schema: answers.TaskEnvelope,
    about: 'A task in its envelope.',
    fields: { ...envelopeFields, result: 'The task.' },
  },
  TaskListEnvelope: {
    schema: answers.TaskListEnvelope,
    about: 'Tasks in an envelope.',
    fields: { ...envelopeFields, result: 'The tasks of this page; with `fields=counts` how many there are.' },
  },
  ErrorEnvelope: {
    schema: answers.ErrorEnvelope,
    about: 'An error in an envelope: what create, get and list answer.',
    fields: { ...envelopeFields, error: 'What went wrong.' },
  },
  ValidationError: {
    schema: answers.ValidationError,
    about: 'The request is not valid: the answer lists every problem.',
    fields: {
      detail:
        'One entry for each problem: `loc` is where it is (`body`, `query` or `header` first), `msg` says it, `type` names its kind.',
    },
  },
}
