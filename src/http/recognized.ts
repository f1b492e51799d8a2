// Whether the server recognizes a request by its key when it comes again, and then does nothing a second time.
import type { IncomingMessage } from 'node:http'
import { findOperation } from '../documents/find-operation.ts'

export const isRecognized = ({ method = '', url = '', headers }: IncomingMessage): boolean =>
  (headers['idempotency-key'] ?? '') !== '' &&
  findOperation(method, url)?.parameters?.some(({ name }) => name === 'Idempotency-Key') === true
