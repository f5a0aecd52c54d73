import clsx from 'clsx';
import { ToggleGroup } from 'radix-ui';
import { strings } from '#lib/strings';

export type DeskTab = 'chat' | 'preview';

interface TabSwitchProps {
  readonly tab: DeskTab;
  readonly onChange: (tab: DeskTab) => void;
  readonly className?: string;
}

/** Chat or preview, where there is room for one of them only. */
export function TabSwitch({ tab, onChange, className }: TabSwitchProps) {
  return (
    <ToggleGroup.Root
      type="single"
      value={tab}
      aria-label={strings.tabs.label}
      onValueChange={(value) => {
        if (value === 'chat' || value === 'preview') onChange(value);
      }}
      className={clsx('flex shrink-0 border-b border-rule bg-paper px-3', className)}
    >
      {(['chat', 'preview'] as const).map((value) => (
        <ToggleGroup.Item
          key={value}
          value={value}
          className="h-11 flex-1 border-b-2 border-transparent text-sm text-ink-2 data-[state=on]:border-accent data-[state=on]:font-medium data-[state=on]:text-ink"
        >
          {strings.tabs[value]}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
