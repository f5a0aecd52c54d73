import { ToggleGroup } from 'radix-ui';

interface SwitchProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

/** A few choices side by side, one of them taken. */
export function Switch<Value extends string>({ label, value, choices, onChange }: SwitchProps<Value>) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      aria-label={label}
      onValueChange={(next) => {
        if (next in choices) onChange(next as Value);
      }}
      className="flex h-8 shrink-0 rounded-md bg-ink/6 p-0.5"
    >
      {(Object.entries(choices) as [Value, string][]).map(([choice, name]) => (
        <ToggleGroup.Item
          key={choice}
          value={choice}
          className="rounded-[5px] px-2.5 text-xs text-ink-2 transition-colors data-[state=on]:bg-sheet data-[state=on]:font-medium data-[state=on]:text-ink data-[state=on]:shadow-sm"
        >
          {name}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
