// Binds a field to a signal.
import type { Signal } from '@preact/signals'

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** The attributes of a field that shows the value and changes it. */
export const bound = (value: Signal<string>) => ({
  value,
  onInput: ({ currentTarget }: { currentTarget: Field }) => {
    value.value = currentTarget.value
  },
})
