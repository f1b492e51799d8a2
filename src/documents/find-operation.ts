// Finds the operation that a request asks for, by its method and its path.
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'

const known = operations.map((operation: Operation) => ({
  operation,
  isFixed: !operation.path.includes('{'),
  pattern: new RegExp(`^${operation.path.replace(/\./g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}))
// A path without parameters belongs to its own operation, even if the pattern of another one fits it.
known.sort((a, b) => Number(b.isFixed) - Number(a.isFixed))

/** `url` may have a query. Undefined: there is no such operation. */
export const findOperation = (method: string, url: string): Operation | undefined => {
  const path = url.split('?', 1)[0] ?? ''
  const asked = method === 'HEAD' ? 'GET' : method
  return known.find(({ operation, pattern }) => operation.method === asked && pattern.test(path))?.operation
}
