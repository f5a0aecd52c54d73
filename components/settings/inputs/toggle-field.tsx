import { Switch } from 'radix-ui';
import type { FieldProps } from '#components/settings/inputs/setting-input-field';
import { settingsStrings } from '#lib/strings/settings';

/** On or off. */
export function ToggleField({ id, labelId, describedBy, value, onChange }: FieldProps<boolean>) {
  return (
    <div className="flex h-9 items-center gap-3">
      <Switch.Root
        id={id}
        aria-labelledby={labelId}
        aria-describedby={describedBy}
        checked={value}
        onCheckedChange={onChange}
        className="relative h-6 w-10 shrink-0 rounded-full bg-ink-3 transition-colors data-[state=checked]:bg-accent"
      >
        <Switch.Thumb className="block size-4.5 translate-x-[3px] rounded-full bg-sheet transition-transform data-[state=checked]:translate-x-[19px]" />
      </Switch.Root>
      <span aria-hidden className="text-sm text-ink-2">
        {value ? settingsStrings.on : settingsStrings.off}
      </span>
    </div>
  );
}
