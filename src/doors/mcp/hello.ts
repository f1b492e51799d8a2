// What is wrong with the first message of an older client, in plain words: the library would call it an internal error.
import { specTypeSchemas } from '@modelcontextprotocol/server'
import { plain } from './server.ts'

const { validate } = specTypeSchemas.InitializeRequestParams['~standard']
const withArticle = (type: string): string => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`

/** Undefined: nothing is wrong. */
export const problemOfHello = async (params: unknown): Promise<string | undefined> => {
  const { issues } = await validate(plain(params ?? {}))
  const [first] = issues ?? []
  if (first === undefined) return undefined
  const where = ['params', ...(first.path ?? [])].slice(first.path?.length ? 1 : 0).join('.')
  const wanted = 'expected' in first ? String(first.expected).replace('record', 'object') : undefined
  return wanted === undefined
    ? `${where} is not what MCP has here`
    : `${where} must be ${withArticle(wanted)}`
}
