// The button below a list that has more entries than it shows.

type Props = { label: string; more: () => void; disabled?: boolean }

export const More = ({ label, more, disabled = false }: Props) => (
  <button type="button" class="more" disabled={disabled} onClick={more}>
    {label}
  </button>
)
