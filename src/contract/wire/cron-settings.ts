// The settings that say how a cron job runs. A setting is declared only here. The bodies of requests, the stored settings,
// the object of the interface, the documents and the form of the console follow from its entry. The name, the task and the
// times of a job have rules of their own, and are not in this table.
import Type, { type TSchema } from 'typebox'
import { optional, orNull } from './schema.ts'

/** A time in a request: ISO 8601. */
export const Time = Type.String({ minLength: 1, maxLength: 64 })

/** `asked`, `stored`, `shown`: the schemas in requests, in events and in answers. `form`: how people enter the setting. */
const choice = <Values extends string[]>(...values: Values) => {
  const schema = Type.Enum<Values>(values)
  return { form: 'choice' as const, values, asked: schema, stored: schema, shown: schema }
}
const number = (minimum: number, maximum: number) => ({
  form: 'number' as const,
  minimum,
  asked: Type.Integer({ minimum, maximum }),
  stored: Type.Integer(),
  shown: Type.Integer({ minimum: 0 }),
})
/** It is stored in milliseconds since the epoch. */
const time = {
  form: 'time' as const,
  asked: Time,
  stored: Type.Integer(),
  shown: Type.String({ format: 'date-time' }),
}

type Kind = { asked: TSchema; stored: TSchema; shown: TSchema }
/** `about`: the description in the documents. `label`: the name in the console. */
type Words = { about: string; label: string }

/** A setting that every job has. `usual`: its value when the creation of the job gives none. */
const always = <K extends Kind>({ asked, ...kind }: K, words: Words & { usual: string | number }) => ({
  ...kind,
  ...words,
  asked: orNull<K['asked']>(asked),
})
/** A setting that a job may lack. A null in a change removes it. */
const removable = <K extends Kind>({ asked, stored, shown, ...kind }: K, words: Words) => ({
  ...kind,
  ...words,
  asked: orNull<K['asked']>(asked),
  stored: optional<K['stored']>(stored),
  shown: optional<K['shown']>(shown),
})

export const policies = {
  missed: always(choice('skip', 'run_once'), {
    about:
      'What to do with times that passed more than a minute ago, for example while the server was away. `skip` (default): record them. `run_once`: run once for all of them.',
    label: 'Missed times',
    usual: 'skip',
  }),
  overlap: always(choice('skip', 'queue', 'allow'), {
    about:
      'What to do with a time that comes while a run is at work. `skip` (default): record the time, without a run. `queue`: the run waits; at most 100 runs wait. `allow`: run at once.',
    label: 'While one runs',
    usual: 'skip',
  }),
  jitter_seconds: always(number(0, 86_400), {
    about: 'Each run begins up to this many seconds later. A given time always gets the same delay.',
    label: 'Jitter, in seconds',
    usual: 0,
  }),
}

export const limits = {
  ends_at: removable(time, {
    about: 'No run begins for a time after this one (ISO 8601).',
    label: 'Ends at',
  }),
  max_runs: removable(number(1, 1_000_000_000), {
    about: 'The job ends after this many runs of its schedule.',
    label: 'Most runs',
  }),
}

/** The fields that settings have in requests, in events or in answers. */
export const fieldsOf = <T extends Record<string, Kind>, F extends keyof Kind>(table: T, of: F) =>
  Object.fromEntries(Object.entries(table).map(([name, setting]) => [name, setting[of]])) as {
    [Name in keyof T]: T[Name][F]
  }

type Setting = Words & {
  form: 'choice' | 'number' | 'time'
  values?: readonly string[]
  minimum?: number
  usual?: string | number
}
export type SettingName = keyof typeof policies | keyof typeof limits
/** Every setting of the table with its name, for code that treats all of them alike. */
export const cronSettings = Object.entries({ ...policies, ...limits }) as [SettingName, Setting][]
/** The fields of a request that hold times. Without an offset, they are local times of the job's zone. */
export const timeFields = [
  'at',
  ...cronSettings.filter(([, { form }]) => form === 'time').map(([name]) => name),
] as ('at' | SettingName)[]
