// A value that somebody writes, some milliseconds after it last changed. So the server is not asked with each key.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const settleMs = 150

export const useSettled = (value: string): string => {
  const settled = useSignal(value)
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = value
    }, settleMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled.value
}
