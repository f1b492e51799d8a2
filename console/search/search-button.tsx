// The button in the head of the page, and the keys, that open the search. Its code is loaded when somebody opens it.
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { mayRead } from '../api/session.ts'

const palette = signal<ComponentType<{ close: () => void }> | undefined>(undefined)
const isOpen = signal(false)

const open = (): void => {
  isOpen.value = true
  if (palette.value !== undefined) return
  void import('./palette.tsx').then(
    ({ Palette }) => {
      palette.value = Palette
    },
    () => {
      isOpen.value = false // tried again with the next press
    },
  )
}
const close = (): void => {
  isOpen.value = false
}
/** ⌘K, or Ctrl K: also while somebody writes. */
const press = (event: KeyboardEvent): void => {
  if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
  if (event.shiftKey || event.altKey) return
  event.preventDefault()
  if (isOpen.value) close()
  else open()
}
const keys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

export const SearchButton = () => {
  const may = mayRead.value
  useEffect(() => {
    if (!may) return
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [may])
  if (!may) return null
  const Palette = isOpen.value ? palette.value : undefined
  return (
    <>
      <button type="button" class="search-button" title={`Search (${keys})`} onClick={open}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="6.5" cy="6.5" r="4.5" />
          <path d="M10 10l4.5 4.5" />
        </svg>
        <span>Search</span>{' '}
        <span class="shortcut" aria-hidden="true">
          {keys}
        </span>
      </button>
      {Palette !== undefined && <Palette close={close} />}
    </>
  )
}
