// The schemas that many operations share: envelopes and errors.
import * as answers from '../../contract/responses.ts'
import type { Components } from '../component.ts'

export const envelopeFields = {
  jsonrpc: 'Always `2.0`.',
  id: 'The id of the request: `request_id` of the body, else the header `X-Request-ID`, else an id that the server makes.',
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
    fields: {
      ...envelopeFields,
      result: 'The tasks of this page. With `fields=counts`: the numbers of tasks.',
    },
  },
  ErrorEnvelope: {
    schema: answers.ErrorEnvelope,
    about: 'An error in an envelope, as the operations that create, get and list tasks answer it.',
    fields: { ...envelopeFields, error: 'What went wrong.' },
  },
  ValidationError: {
    schema: answers.ValidationError,
    about: 'The request is not valid. The answer lists every problem.',
    fields: {
      detail:
        'One entry for each problem. `loc` is the place of the problem (it begins with `body`, `query`, `path` or `header`), `msg` describes the problem, and `type` names its kind.',
    },
  },
}
