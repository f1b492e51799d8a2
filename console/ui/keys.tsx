// Handles the keys of the console, and shows a list of these keys.
import { useEffect } from 'preact/hooks'
import { Dialog } from './dialog.tsx'

const table: readonly [string, string][] = [
  ['⌘ K, Ctrl K', 'Search'],
  ['n', 'Write a new task'],
  ['Space', 'Play and stop'],
  ['← →', 'One event back, one on'],
  ['Shift ← →', 'Ten events'],
  ['Home, End', 'First event, present'],
  ['m, Shift m', 'Next move, move before'],
  ['e', 'Next error'],
  ['d', 'First difference of two tasks'],
  ['l', 'Follow the present'],
  ['?', 'This list'],
]

export const Keys = ({ close }: { close: () => void }) => (
  <Dialog title="Keys" close={close}>
    <dl class="keys">
      {table.map(([key, meaning]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
    <form method="dialog" class="answers">
      <button type="submit">Close</button>
    </form>
  </Dialog>
)

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog') !== null

/** The name of a pressed key, as the argument of `useKeys` spells it, such as `Shift+m`. */
const nameOf = ({ key, shiftKey }: KeyboardEvent): string =>
  shiftKey ? `Shift+${key.length === 1 ? key.toLowerCase() : key}` : key

/** While the component is shown, calls the function that `keys` has for a pressed key, unless the user writes. */
export const useKeys = (keys: Record<string, () => void>): void =>
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const isSlider = event.target instanceof HTMLInputElement && event.target.type === 'range'
      if (isWriting(event.target) && !isSlider) return
      if (event.key === ' ' && event.target instanceof HTMLButtonElement) return
      const act = keys[nameOf(event)]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
