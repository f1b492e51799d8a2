// A button that copies a text.
import { useSignal } from '@preact/signals'

/** Copies without the clipboard API, which browsers offer only on secure connections. */
const copyByField = (text: string): void => {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

export const Copy = ({ text, label }: { text: () => string; label: string }) => {
  const copied = useSignal(false)
  const copy = async () => {
    const given = text()
    await (navigator.clipboard?.writeText(given) ?? Promise.reject()).catch(() => copyByField(given))
    copied.value = true
    setTimeout(() => {
      copied.value = false
    }, 1500)
  }
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      {copied.value ? 'Copied' : label}
    </button>
  )
}
