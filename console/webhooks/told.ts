// What the page says of the newest try that its user asked for.
import type { Signal } from '@preact/signals'

export type Told = Signal<string | undefined>
