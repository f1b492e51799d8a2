// Reads the file that RETENTION names. Its rules say which ended tasks are erased, and after how many days.
import { readFileSync } from 'node:fs'
import { CannotStart } from '../contract/cannot-start.ts'
import { isTerminal, taskStatuses } from '../contract/wire.ts'

export type RetentionRule = {
  status?: string
  agent?: string
  user_id?: string
  older_than_days: number
}

const names = ['status', 'agent', 'user_id', 'older_than_days']
const ends: readonly string[] = taskStatuses.filter(isTerminal)
/** A thousand years. */
const mostDays = 365_000

const parsed = (file: string): unknown => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new CannotStart(`RETENTION=${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CannotStart(`RETENTION=${file} is not JSON: ${(error as Error).message}`)
  }
}

const ruleOf = (file: string, rule: unknown, n: number): RetentionRule => {
  const wrong = (what: string) => new CannotStart(`RETENTION=${file}: rule ${n + 1}: ${what}`)
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) throw wrong('an object is needed')
  const fields = rule as Record<string, unknown>
  const unknown = Object.keys(fields).find(name => !names.includes(name))
  if (unknown !== undefined) throw wrong(`there is no field "${unknown}": use ${names.join(', ')}`)
  const { older_than_days: days } = fields
  if (typeof days !== 'number' || !(days > 0 && days <= mostDays))
    throw wrong(`"older_than_days" must be a number above 0 and up to ${mostDays}`)
  for (const name of ['status', 'agent', 'user_id'])
    if (fields[name] !== undefined && (typeof fields[name] !== 'string' || fields[name] === ''))
      throw wrong(`"${name}" must be a text`)
  const { status, agent, user_id } = fields as Partial<Record<string, string>>
  if (status !== undefined && !ends.includes(status))
    throw wrong(`"status" must be one of ${ends.join(', ')}, since only ended tasks are erased`)
  return {
    ...(status === undefined ? {} : { status }),
    ...(agent === undefined ? {} : { agent }),
    ...(user_id === undefined ? {} : { user_id }),
    older_than_days: days,
  }
}

/** The rules in a file, a JSON list; empty when RETENTION names no file. Throws CannotStart with one line. */
export const readRetention = (file: string | undefined): readonly RetentionRule[] => {
  if (file === undefined) return []
  const rules = parsed(file)
  if (!Array.isArray(rules)) throw new CannotStart(`RETENTION=${file} must hold a JSON list of rules`)
  return rules.map((rule, n) => ruleOf(file, rule, n))
}

/** Says a rule in words. These words are stored as the reason of an erasure by the rule. */
export const wordsOf = ({ older_than_days: days, ...only }: RetentionRule): string =>
  [
    'retention',
    ...Object.entries(only).map(([name, value]) => `${name} ${value}`),
    `older than ${days} days`,
  ].join(', ')
