// Tells whether the server recognizes a repeated request by its key, and so does nothing twice.
import type { IncomingMessage } from 'node:http'
import { findOperation } from '../documents/find-operation.ts'

export const isRecognized = ({ method = '', url = '', headers }: IncomingMessage): boolean =>
  (headers['idempotency-key'] ?? '') !== '' &&
  findOperation(method, url)?.parameters?.some(({ name }) => name === 'Idempotency-Key') === true
