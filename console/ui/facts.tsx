// A list of names with their values.
import type { ComponentChildren } from 'preact'

/** Entries whose value is undefined are left out. */
export const Facts = ({ of }: { of: readonly (readonly [string, ComponentChildren | undefined])[] }) => (
  <dl class="facts">
    {of.map(([name, value]) =>
      value === undefined || value === null ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
)
