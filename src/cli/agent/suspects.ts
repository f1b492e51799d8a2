// Places of a file that give something else each time that the code runs, and what to write there instead.
import { readFileSync } from 'node:fs'
import path from 'node:path'

type Suspect = { sign: RegExp; write: string }

const inRun = 'inside of ctx.run'
const ofNode: Suspect[] = [
  { sign: /\bDate\.now\(\)/, write: 'ctx.now()' },
  { sign: /\bnew Date\(\)/, write: 'new Date(ctx.now())' },
  { sign: /\bperformance\.now\(\)|\bprocess\.hrtime/, write: 'ctx.now()' },
  { sign: /\bMath\.random\(\)/, write: 'ctx.random()' },
  { sign: /\brandom(UUID|Bytes|Int)\(|\bgetRandomValues\(/, write: `it ${inRun}, with { safe: true }` },
  { sign: /\bset(Timeout|Interval|Immediate)\(/, write: 'ctx.sleep' },
  { sign: /\bfetch\(|\breadFile(Sync)?\(/, write: `it ${inRun}` },
  { sign: /\bprocess\.(env|pid|uptime)\b/, write: `it ${inRun}` },
]
const ofPython: Suspect[] = [
  { sign: /\btime\.(time|monotonic|perf_counter)(_ns)?\(\)/, write: 'ctx.now()' },
  { sign: /\bdatetime\.(now|utcnow|today)\(|\bdate\.today\(/, write: 'ctx.now()' },
  { sign: /\brandom\.\w+\(|\bsecrets\.\w+\(/, write: 'ctx.random()' },
  { sign: /\buuid\.uuid[14]\(|\bos\.urandom\(/, write: `it ${inRun}, with safe=True` },
  { sign: /\basyncio\.sleep\(|\btime\.sleep\(/, write: 'ctx.sleep' },
  { sign: /\burlopen\(|\bopen\(|\bos\.(environ|getenv|getpid)\b/, write: `it ${inRun}` },
]

/** One line for each place. A place inside of `ctx.run` is right, so a line that has this call is left out. */
export const suspectsIn = (file: string): string[] => {
  const suspects = path.extname(file) === '.py' ? ofPython : ofNode
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      if (/^\s*(\/\/|#|\*)/.test(line) || /\bctx\.run\(/.test(line)) return []
      return suspects.flatMap(({ sign, write }) => {
        const [found] = sign.exec(line) ?? []
        return found === undefined
          ? []
          : [`line ${at + 1} has ${found}${found.endsWith('(') ? ')' : ''}: write ${write}`]
      })
    })
}
