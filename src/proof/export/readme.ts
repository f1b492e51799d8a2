// Writes the README of an export, which tells people what the export proves.
import { exportFormat, fileNames, type Manifest } from './format.ts'

const namesOf: Record<Manifest['subject']['kind'], string> = {
  task: 'the task',
  session: 'the session',
  user: 'everything of the user',
  all: 'the whole log',
}

/** Says in words what is exported. */
export const subjectText = ({ kind, id }: Manifest['subject']): string =>
  kind === 'all' ? namesOf.all : `${namesOf[kind]} ${id}`

type Claims = { proven: readonly string[]; notProven: readonly string[] }

const ofStreams: Claims = {
  proven: [
    'Each event was in the log when the checkpoint was signed, with exactly this header and this payload.',
    'The events of each stream are complete from its first event up to its last event here: no revision is missing.',
    'When a task has ended, its last move is the event with which it ended.',
  ],
  notProven: [
    'That nothing was stored about these streams after their last event here. A task without an end may have gone on.',
    'That no task is left out. Only a whole log shows that: `reprise export --all`, or `reprise verify` on the log itself.',
  ],
}
const ofAll: Claims = {
  proven: [
    'These are all events of the log, from position 1 to the size of the checkpoint, in their order and unchanged.',
    'So no task and no event up to there is left out.',
  ],
  notProven: ['That nothing was stored after the last position.'],
}

/** Sentences that say what an export proves, and what it does not prove. */
export const claimsOf = ({ kind }: Manifest['subject']): Claims => {
  const { proven, notProven } = kind === 'all' ? ofAll : ofStreams
  return {
    proven,
    notProven: [
      ...notProven,
      'That what an event says is true. It proves what was stored, and not what happened.',
    ],
  }
}

const listOf = (sentences: readonly string[]): string => sentences.map(each => `- ${each}`).join('\n')

/** The page as Markdown. */
export const readmeOf = ({ log_id, subject, size, erasures }: Manifest): string => {
  const isWhole = subject.kind === 'all'
  const { proven, notProven } = claimsOf(subject)
  return `# An export of a log of Reprise

This folder holds ${subjectText(subject)}, from the log \`${log_id}\`. The checkpoint in it covers the first ${size} events of that log.

## Verify it

You need Node 20.12 or later, and nothing else:

    node ${fileNames.verifier} --key 'KEY'

KEY is the key of the log. Get it from a person whom you trust. The server shows it at \`/v1/audit/public-key\`. Without
\`--key\`, the events are compared with a key that came with them, which anybody could have made. So the answer is then
"signed by a key you have not checked", with the exit code 1. Also take \`${fileNames.verifier}\` from a source that you trust:
\`reprise verify FOLDER --key KEY\` does the same work.

## What it proves

${listOf(proven)}

It proves this only as far as you trust the key. A person with the private key can sign another log.

## What it does not prove

${listOf(notProven)}

## What is in it

| File | Content |
|---|---|
| \`${fileNames.manifest}\` | what is exported, and the format: \`${exportFormat}\` |
| \`${fileNames.checkpoint}\` | the signed checkpoint: the name of the log, the number of its events, and the root of its tree |
| \`${fileNames.key}\` | the keys of the log, each with the size of the smallest checkpoint that it signs |
| \`${fileNames.keyEvents}\` | the events with which the log names these keys |
${erasures === true ? `| \`${fileNames.erasures}\` | the events that say which payloads were erased, by whom and why |\n` : ''}| \`${fileNames.events}/N.ndjson\` | ${isWhole ? 'the events in the order of the log' : 'the events of one stream'}, one on each line: its position, header, payload and salt${isWhole ? '' : ', and the hashes of its proof'} |
| \`${fileNames.verifier}\` | the verifier |

An event is computed like this. The last field of its header, \`digest\`, is SHA-256 of salt and payload. Its leaf is SHA-256 of
the byte 0 and the header. The leaf with the index position − 1 is in the tree of RFC 6962 whose root the checkpoint signs.
When an event was erased, its payload and its salt are null, and its header and leaf are still proven. Then an event
PayloadsErased in \`${fileNames.erasures}\` names its stream.
`
}
