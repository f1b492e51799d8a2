// A workspace: its commands as in a terminal, and its files.
import { Scrolling } from '../ui/scrolling.tsx'
import { count } from '../ui/time.tsx'
import type { Moment, Step } from './moments.ts'

/** At most this many steps of the terminal, and this many files, are shown. */
const mostSteps = 100
const mostFiles = 300

const textOf = ({ content }: Step): string =>
  typeof content === 'string'
    ? content
    : content.map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : '')).join('\n')

const promptOf = ({ tool, args }: Step): string =>
  tool === 'shell' && typeof args.command === 'string'
    ? `$ ${args.command}`
    : `${tool} ${typeof args.path === 'string' ? args.path : JSON.stringify(args)}`

export const Terminal = ({ moments }: { moments: readonly Moment[] }) => {
  const steps = moments.flatMap(({ step }) => step ?? [])
  const shown = steps.slice(-mostSteps)
  return (
    <Scrolling class="terminal" label="Terminal">
      {shown.length < steps.length && <p>{count(steps.length - shown.length)} earlier steps</p>}
      {shown.map(step => (
        <div key={step.number}>
          <pre class="prompt">{promptOf(step)}</pre>
          <pre class={step.isFailed ? 'bad' : ''}>{textOf(step)}</pre>
        </div>
      ))}
      {shown.length === 0 && <pre class="prompt">$</pre>}
    </Scrolling>
  )
}

type File = { path: string; size?: number; special?: string; mode?: string | number }
export const isFiles = (value: unknown): value is File[] =>
  Array.isArray(value) && value.every(each => typeof each?.path === 'string')

export const Files = ({ files }: { files: readonly File[] }) => (
  <details class="files" open={files.length <= 20}>
    <summary>
      {count(files.length)} {files.length === 1 ? 'file' : 'files'}
    </summary>
    <ul>
      {files.slice(0, mostFiles).map(({ path, size, special }) => (
        <li key={path}>
          <code>{path}</code> <small>{special ?? (size === undefined ? '' : `${count(size)} bytes`)}</small>
        </li>
      ))}
    </ul>
  </details>
)
