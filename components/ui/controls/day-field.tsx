interface DayFieldProps {
  readonly label: string;
  /** `2026-11-30`; empty: no day. */
  readonly value: string;
  readonly onChange: (day: string) => void;
}

/** A day to choose, with its label. */
export function DayField({ label, value, onChange }: DayFieldProps) {
  return (
    <label className="flex items-center gap-2 text-sm text-ink-2">
      {label}
      <input
        type="date"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        className="h-9 rounded-md border border-rule-strong bg-sheet px-2 text-sm text-ink"
      />
    </label>
  );
}
