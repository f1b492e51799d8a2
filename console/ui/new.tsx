// A form that opens with a button: to make something, or to change it. The form is open from the start when the address
// says so, so that a link can lead to it.
import type { ComponentChildren } from 'preact'
import { place, setQuery } from '../api/router.ts'
import { Form, FormProblem, Submit } from './form.tsx'

/** `word`: the name in the query of the address while the form is open. */
type Props = {
  title: string
  word?: 'new' | 'edit'
  submit?: string
  send: () => Promise<unknown>
  children: ComponentChildren
}

export const isOpen = (word: 'new' | 'edit'): boolean => place.value.query.has(word)
export const setOpen = (word: 'new' | 'edit', open: boolean): void =>
  setQuery({ [word]: open ? 'yes' : undefined })

const Opened = ({ title, word = 'new', submit = title, send, children }: Props) => (
  <Form class="new panel" label={title} send={send}>
    <h2>{title}</h2>
    {children}
    <FormProblem />
    <div class="answers">
      <button type="button" onClick={() => setOpen(word, false)}>
        Close
      </button>
      <Submit label={submit} kind="primary" />
    </div>
  </Form>
)

/** The button, or the form. */
export const New = (props: Omit<Props, 'word'>) =>
  isOpen('new') ? (
    <Opened {...props} />
  ) : (
    <button type="button" class="primary" onClick={() => setOpen('new', true)}>
      {props.title}
    </button>
  )

/** The form while it is open. The button that opens it is elsewhere. The form closes after it was sent. */
export const Edit = ({ send, ...props }: Omit<Props, 'word' | 'submit'>) => {
  const save = async () => {
    await send()
    setOpen('edit', false)
  }
  return isOpen('edit') ? <Opened {...props} word="edit" submit="Save" send={save} /> : null
}
