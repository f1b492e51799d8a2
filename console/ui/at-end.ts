// Keeps the end of a list in sight while it grows, unless its reader has scrolled away from the end.
import { useEffect, useRef } from 'preact/hooks'

/** A list follows what is added when it is scrolled to less than this many pixels from its end. */
const nearEnd = 60

/** `changes`: when one of these values changes, the list may have grown. */
export const useEnd = (changes: unknown[]) => {
  const list = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (isAtEnd.current && list.current !== null) list.current.scrollTop = list.current.scrollHeight
  }, changes)
  const onScroll = () => {
    const element = list.current
    if (element !== null)
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd
  }
  return { list, onScroll }
}
