// The fields of forms, each with its label and with what the server says is wrong with it.
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { bound } from './bound.ts'
import { useFieldProblem } from './form.tsx'

/** `at`: the path of the field in the body. `isWide`: the field takes the room that is left in its line. */
type Common = { label: string; at?: string; isWide?: boolean }
type Aria = { 'aria-invalid'?: boolean; 'aria-describedby'?: string }

const Field = ({ label, at, isWide, children }: Common & { children: (aria: Aria) => ComponentChildren }) => {
  const id = useId()
  const problem = useFieldProblem(at)
  const aria = problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id }
  return (
    <div class={isWide ? 'field grow' : 'field'}>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children */}
      <label>
        <span>{label}</span>
        {children(aria)}
      </label>
      {problem !== undefined && (
        <p class="problem" role="alert" id={id}>
          {problem}
        </p>
      )}
    </div>
  )
}

/** The attributes that both inputs and areas may have. */
type Value = {
  value: Signal<string>
  class?: string
  required?: boolean
  placeholder?: string
  spellcheck?: boolean
}
/** The types of Preact allow one type of input at a time, so the attributes are passed as one object. */
type Input = Value & { type?: 'text' | 'url' | 'number' | 'datetime-local'; min?: string; step?: string }

export const Text = ({ label, at, isWide, value, ...rest }: Common & Input) => (
  <Field label={label} {...(at && { at })} {...(isWide && { isWide })}>
    {aria => <input {...(rest as object)} {...aria} {...bound(value)} />}
  </Field>
)

export const Area = ({ label, at, value, ...rest }: Common & Value & { rows: number }) => (
  <Field label={label} {...(at && { at })}>
    {aria => <textarea {...rest} {...aria} {...bound(value)} />}
  </Field>
)

/** `of`: the values, with the words for each. */
export const Choice = ({
  label,
  at,
  isWide,
  value,
  of,
}: Common & Pick<Value, 'value'> & { of: readonly (readonly [string, string])[] }) => (
  <Field label={label} {...(at && { at })} {...(isWide && { isWide })}>
    {aria => (
      <select {...aria} {...bound(value)}>
        {of.map(([each, title]) => (
          <option key={each} value={each}>
            {title}
          </option>
        ))}
      </select>
    )}
  </Field>
)
