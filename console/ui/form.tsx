// A form that sends something. What the server finds wrong with a field stands at that field.
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import { type Action, createAction } from './action.ts'
import { Problem } from './notice.tsx'

/** `shown`: the paths of the fields that show their problems themselves. */
type Sending = { action: Action; shown: Set<string> }
const Sending = createContext<Sending | undefined>(undefined)

const useSending = (): Sending => {
  const sending = useContext(Sending)
  if (sending === undefined) throw new Error('a part of a form must be in a form')
  return sending
}

/** `label`: the name of the form for screen readers. `send` is called on submit, unless it still runs. */
type Props = { label?: string; class: string; send: () => Promise<unknown>; children: ComponentChildren }

export const Form = ({ label, class: name, send, children }: Props) => {
  const sending = useMemo(() => ({ action: createAction(), shown: new Set<string>() }), [])
  const { busy, run } = sending.action
  return (
    <Sending.Provider value={sending}>
      <form
        class={name}
        aria-label={label}
        onSubmit={event => {
          event.preventDefault()
          if (!busy.value) void run(send)
        }}
      >
        {children}
      </form>
    </Sending.Provider>
  )
}

/** The button that submits the form. */
export const Submit = ({
  label,
  kind,
  disabled,
}: {
  label: string
  kind?: 'primary'
  disabled?: boolean
}) => (
  <button type="submit" class={kind ?? ''} disabled={useSending().action.busy.value || disabled}>
    {label}
  </button>
)

const isAt = (at: string, field: string): boolean => at === field || at.startsWith(`${field}.`)

/** The problems of the field at this path of the body, and of the values inside it. */
export const useFieldProblem = (field: string | undefined): string | undefined => {
  const { action, shown } = useSending()
  if (field === undefined) return undefined
  shown.add(field)
  const own = action.problems.value.filter(({ at }) => isAt(at, field))
  if (own.length === 0) return undefined
  return own
    .map(({ at, text }) => (at === field ? text : `${at.slice(field.length + 1)}: ${text}`))
    .join('; ')
}

/** Says why sending failed, unless the fields already show all problems. `about` comes before the text. */
export const FormProblem = ({ about = '' }: { about?: string }) => {
  const { action, shown } = useSending()
  const error = action.error.value
  const isShown = ({ at }: { at: string }) => [...shown].some(field => isAt(at, field))
  const problems = action.problems.value
  if (error === undefined || (problems.length > 0 && problems.every(isShown))) return null
  const left = problems.filter(problem => !isShown(problem))
  const text = left.length === 0 ? error : left.map(({ at, text }) => `${at}: ${text}`).join('; ')
  return <Problem text={`${about}${text}`} />
}
