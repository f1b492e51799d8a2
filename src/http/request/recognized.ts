// Tells whether a request has an idempotency key by which the server would recognize a repetition of the request.
import type { IncomingMessage } from 'node:http'
import { findOperation } from '../../documents/find-operation.ts'

export const isRecognized = ({ method = '', url = '', headers }: IncomingMessage): boolean =>
  (headers['idempotency-key'] ?? '') !== '' &&
  findOperation(method, url)?.parameters?.some(({ name }) => name === 'Idempotency-Key') === true
