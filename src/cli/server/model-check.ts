// reprise model check: asks the configured endpoint small questions, and says what the agent can use of it and with which
// settings. It needs no server and no folder.
import { dialects, guessedDialect, switchesOf } from '../../agents/model/dialects.ts'
import { openEndpoint, shownAddress } from '../../agents/model/open-endpoint.ts'
import { type ModelSettings, modelOf } from '../../agents/model/settings.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { switches as known, type Switches } from '../../model-requests/switches.ts'
import { realWorld } from '../../platform/world.ts'
import { type Checked, checkModel } from '../model-check/check.ts'
import type { Finding } from '../model-check/question.ts'
import { shortened } from '../terminal/printer.ts'
import { createReport } from '../terminal/report.ts'
import { type Common, openTerminal } from '../terminal/terminal.ts'

type DialectName = keyof typeof dialects

const marks = { yes: 'ok', partly: '-', no: 'NO' } as const
const line = ({ name, works, says }: Finding): string =>
  `${marks[works].padEnd(4)}${name.padEnd(12)}${shortened(says, 300)}`

/** The switches that differ from those of a dialect; undefined: the plain ones. */
const unlike = (dialect: DialectName | undefined, found: Switches): [string, string][] => {
  const own = switchesOf(dialect ?? 'plain')
  return Object.keys(known)
    .map((name): [string, string] => [name, found[name as keyof Switches]])
    .filter(([name, value]) => own[name as keyof Switches] !== value)
}

/** Another dialect of the same protocol that has all the switches; undefined: there is none. */
const closer = (spoken: DialectName, found: Switches): DialectName | undefined => {
  const needed = unlike(spoken, found)
  const names = (Object.keys(dialects) as DialectName[]).filter(
    name => name !== spoken && dialects[name].protocol === dialects[spoken].protocol,
  )
  const fits = names.filter(name => {
    const own: Partial<Switches> = dialects[name].switches
    return needed.length > 1 && needed.every(([each, value]) => own[each as keyof Switches] === value)
  })
  return fits.sort((a, b) => unlike(a, found).length - unlike(b, found).length)[0]
}

/**
 * `dialect` and `switches`: what the operator should set; a provider package has no dialect. `like`: a dialect that has
 * all these switches.
 */
export type Advice = { dialect?: DialectName; switches: string; like?: DialectName }

const adviceOf = (settings: ModelSettings, { switches }: Checked): Advice => {
  const dialect =
    'provider' in settings
      ? undefined
      : (settings.dialect ?? guessedDialect(settings.baseUrl, settings.model))
  const like = dialect && closer(dialect, switches)
  return {
    ...(dialect === undefined ? {} : { dialect }),
    switches: unlike(dialect, switches)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
    ...(like === undefined ? {} : { like }),
  }
}

const adviceLines = ({ works }: Checked, { dialect, switches, like }: Advice): string[] =>
  works
    ? [
        '',
        'The agent can work with this endpoint. Paste these lines into the shell in which you start the server:',
        ...(dialect === undefined ? [] : [`export MODEL_DIALECT=${dialect}`]),
        switches === '' ? 'unset MODEL_SWITCHES   # none is needed' : `export MODEL_SWITCHES="${switches}"`,
        ...(like === undefined ? [] : [`(The dialect ${like} has these switches, too.)`]),
      ]
    : ['', 'The agent cannot work with this endpoint. The lines with NO say why.']

export const modelCheck = async (options: Common): Promise<void> => {
  const settings = modelOf(process.env)
  if (settings === undefined) {
    throw new CannotStart(
      'there is no model to check: set MODEL_BASE_URL (or MODEL_PROVIDER) and MODEL, and MODEL_API_KEY if it has a key',
    )
  }
  const printer = openTerminal(options)
  const report = createReport('warn')
  const endpoint = await openEndpoint(settings, { timers: realWorld().timers, report })
  if (!options.json) {
    await printer.rows([`${settings.model} at ${shownAddress(settings)}`, ''])
    printer.hint('asking the model')
  }
  // The waits before retries keep no process alive.
  const stay = setInterval(() => {}, 60_000)
  const checked = await checkModel(endpoint, settings.switches ?? {}, async finding => {
    if (options.json) return
    await printer.rows([line(finding)])
    printer.hint('asking the model')
  }).finally(() => clearInterval(stay))
  const advice = adviceOf(settings, checked)
  const { works, findings } = checked
  await printer.rows(
    options.json ? [JSON.stringify({ works, findings, ...advice })] : adviceLines(checked, advice),
  )
  printer.endLines()
  process.exitCode = works ? 0 : 1
}
