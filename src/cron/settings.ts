// Reads the settings of a job from the body of a request, and checks everything that the schema cannot check.
import type { CronSettings } from '../contract/events/cron-events.ts'
import type { Principal } from '../contract/events/token-events.ts'
import { fittingFields } from '../contract/json/fitting-fields.ts'
import { Invalid, type Problem } from '../contract/refusals.ts'
import { cronSettings, type SettingName, timeFields } from '../contract/wire/cron-settings.ts'
import type { ChangeCronJobBody, CreateTaskBody } from '../contract/wire.ts'
import { isDay } from '../platform/iso-day.ts'
import type { TaskRequest } from '../tasks/request.ts'
import type { RequestReader } from '../tasks/request-reader.ts'
import { patternProblem } from './schedule/calendar.ts'
import { zoneOf } from './schedule/zone.ts'
import { isZone } from './schedule/zone-format.ts'

/** A job has exactly one of these fields. */
const kinds = ['schedule', 'every_seconds', 'at'] as const
type Body = ChangeCronJobBody
type Read = { settings: CronSettings; secrets: Record<string, unknown> }

const problem = (loc: string[], msg: string, type = 'value_error'): Problem => ({
  loc: ['body', ...loc],
  msg,
  type,
})
const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const isoForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?(Z|[+-]\d\d:\d\d)?$/
const withOffset = /T.*(Z|[+-]\d\d:\d\d)$/
/** Reads an ISO 8601 time. Without an offset it is a local time of the zone. Undefined: the text is no such time. */
const timeOf = (text: string, timezone: string): number | undefined => {
  const hasOffset = withOffset.test(text)
  const millis =
    isoForm.test(text) && isDay(text.slice(0, 10))
      ? Date.parse(hasOffset ? text : `${text.slice(0, 10)}T${text.slice(11) || '00:00'}Z`)
      : Number.NaN
  if (Number.isNaN(millis)) return undefined
  return hasOffset ? millis : zoneOf(timezone).momentOf(millis)
}

/** Exactly one field of `kinds` says when the job runs. A change that sets one of them removes the others. */
const kindProblems = (body: Body, before: CronSettings | undefined): Problem[] => {
  const given = kinds.filter(kind => isGiven(body[kind]))
  const [first] = given
  if (given.length > 1) {
    return given.map(kind => problem([kind], `Only one of ${kinds.join(', ')} can be given`))
  }
  return first === undefined && before === undefined
    ? [problem(['schedule'], `One of ${kinds.join(', ')} is required`, 'missing')]
    : []
}

const timeProblems = (body: Body, timezone: string, now: number): Problem[] =>
  timeFields.flatMap(field => {
    const text = body[field]
    if (typeof text !== 'string') return []
    const time = timeOf(text, timezone)
    if (time === undefined) return [problem([field], 'Give an ISO 8601 time, such as 2027-03-28T02:30:00Z')]
    return time <= now ? [problem([field], 'This time is in the past')] : []
  })

const scheduleProblems = ({ schedule }: Body, now: number): Problem[] => {
  const why = typeof schedule === 'string' ? patternProblem(schedule, now) : undefined
  return why === undefined ? [] : [problem(['schedule'], why)]
}

/** The body with which each run creates its task. Nobody waits for the answer, so it is never streamed. */
const createBodyOf = (task: NonNullable<Body['task']>): CreateTaskBody => ({
  ...task,
  stream: false,
  background: true,
})

const taskProblems = ({ task }: Body, found: Problem[]): Problem[] => {
  const isWrong = found.some(({ loc }) => loc[1] === 'task' && loc.length === 2)
  if (!isGiven(task) || isWrong) return []
  const msg = 'Each run is a new task, so a job cannot set this'
  return [
    ...(task?.stream === true ? [problem(['task', 'stream'], msg)] : []),
    ...(isGiven(task?.task_id) ? [problem(['task', 'task_id'], msg)] : []),
  ]
}

/** The problems inside `task`, with the paths that they have in a request that creates a task. */
const ofTask = (found: Problem[]): Problem[] =>
  found
    .filter(({ loc }) => loc[1] === 'task' && loc.length > 2)
    .map(({ loc, ...rest }) => ({ ...rest, loc: ['body', ...loc.slice(2)] }))

/** The problems of a request that creates a task, with paths inside the field `task`. */
const inTask = ({ problems }: Invalid): Problem[] =>
  problems.map(({ loc, ...rest }) => ({ ...rest, loc: ['body', 'task', ...loc.slice(1)] }))

type Given = {
  principal: Principal
  body: Body
  /** The settings before a change. */
  before: CronSettings | undefined
  /** Problems that the schema has found. Fields with such a problem are not checked again. */
  found: Problem[]
  now: number
}

const times = ({ body, before, now }: Given, timezone: string) => {
  const given = kinds.some(kind => isGiven(body[kind]))
  const at = typeof body.at === 'string' ? timeOf(body.at, timezone) : undefined
  if (given) {
    const { schedule, every_seconds } = body
    return {
      anchor: now,
      ...(isGiven(schedule) ? { schedule: schedule as string } : {}),
      ...(isGiven(every_seconds) ? { every_seconds: every_seconds as number } : {}),
      ...(at === undefined ? {} : { at }),
    }
  }
  const { schedule, every_seconds, at: former } = before as CronSettings
  return {
    anchor: before?.anchor ?? now,
    ...(schedule === undefined ? {} : { schedule }),
    ...(every_seconds === undefined ? {} : { every_seconds }),
    ...(former === undefined ? {} : { at: former }),
  }
}

/** The settings of the table: as the body gives them, as they were, or their usual values. A null removes a limit. */
const howOf = ({ body, before }: Given, timezone: string) =>
  Object.fromEntries(
    cronSettings.flatMap(([name, { form, usual }]) => {
      const text = body[name]
      const given = form === 'time' && typeof text === 'string' ? timeOf(text, timezone) : text
      const kept = given === null && usual === undefined ? undefined : before?.[name]
      const value = given ?? kept ?? usual
      return value === undefined ? [] : [[name, value]]
    }),
  ) as Pick<CronSettings, SettingName>

const settingsOf = (given: Given, task: CreateTaskBody, timezone: string): CronSettings => ({
  name: given.body.name ?? given.before?.name ?? '',
  ...times(given, timezone),
  timezone,
  task,
  ...howOf(given, timezone),
})

/**
 * Reads the task in a body. Resolves to the request that creates the task, or to an error with all problems of the
 * task. Undefined: the body contains no task that can be read.
 */
const readTask = async (
  requests: RequestReader,
  { principal, body: { task }, found }: Given,
): Promise<TaskRequest | Error | undefined> => {
  const isWrong = found.some(({ loc }) => loc[1] === 'task' && loc.length === 2)
  if (!isGiven(task) || isWrong) return undefined
  const body = createBodyOf(task as NonNullable<Body['task']>)
  const problems = ofTask(found)
  if (problems.length > 0) return requests.invalid(principal, body, new Invalid(problems))
  return requests.read(principal, body).catch(error => error as Error)
}

/** The problems of the fields that say when a job runs. */
const whenProblems = (body: Body, { before, found, now }: Given): Problem[] => {
  const zoneName = body.timezone ?? before?.timezone ?? 'UTC'
  const isKnown = isZone(zoneName)
  const unknown = `${JSON.stringify(zoneName)} is no time zone, such as Europe/Berlin`
  const wrongKinds = found.some(({ loc }) => kinds.some(kind => kind === loc[1]))
  return [
    ...(isKnown ? [] : [problem(['timezone'], unknown)]),
    ...(wrongKinds ? [] : kindProblems(body, before)),
    ...scheduleProblems(body, now),
    ...timeProblems(body, isKnown ? zoneName : 'UTC', now),
  ]
}

/**
 * Reads the settings. Throws Invalid with all problems. `secrets` are the secret values of the task in the body.
 * Without a task in the body, the job keeps its secret values.
 */
export const readSettings = async (requests: RequestReader, given: Given): Promise<Read> => {
  const { before, found } = given
  const body = fittingFields(given.body, found)
  const read = await readTask(requests, given)
  if (read instanceof Error && !(read instanceof Invalid)) throw read
  const problems = [
    ...found.filter(({ loc }) => loc[1] !== 'task' || loc.length === 2),
    ...whenProblems(body, given),
    ...taskProblems(given.body, found),
    ...(read === undefined || !(read instanceof Invalid) ? [] : inTask(read)),
  ]
  if (problems.length > 0 || read instanceof Error) throw new Invalid(problems)
  const shown = read?.shown ?? before?.task
  if (shown === undefined) throw new Invalid([problem(['task'], 'Field required', 'missing')])
  const timezone = body.timezone ?? before?.timezone ?? 'UTC'
  const settings = settingsOf({ ...given, body }, shown, timezone)
  if (read !== undefined) return { settings, secrets: read.secrets }
  const { secret_ref } = before ?? {}
  return { settings: { ...settings, ...(secret_ref === undefined ? {} : { secret_ref }) }, secrets: {} }
}
