// Knows on which sides a part that scrolls sideways hides something, so that the page can show that there is more.
import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** Fewer hidden pixels than this are no hint of anything. */
const slack = 4

export const useHiddenSides = (part: RefObject<HTMLElement | null>) => {
  const sides = useSignal('')
  useEffect(() => {
    const element = part.current
    if (element === null) return
    const look = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element
      const isLeft = scrollLeft > slack
      const isRight = scrollWidth - clientWidth - scrollLeft > slack
      sides.value = [isLeft && 'left', isRight && 'right'].filter(Boolean).join(' ')
    }
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [])
  return sides
}
