import { ToggleGroup } from 'radix-ui';
import type { PreviewMode } from '#lib/preview/preview-path';
import { strings } from '#lib/strings';

const labels: Record<PreviewMode, string> = { draft: strings.preview.draft, published: strings.preview.published };

interface ModeSwitchProps {
  readonly mode: PreviewMode;
  readonly onChange: (mode: PreviewMode) => void;
}

/** Draft, as being edited, or published, as visitors see it. */
export function ModeSwitch({ mode, onChange }: ModeSwitchProps) {
  return (
    <ToggleGroup.Root
      type="single"
      value={mode}
      aria-label={strings.preview.mode}
      onValueChange={(value) => {
        if (value === 'draft' || value === 'published') onChange(value);
      }}
      className="flex h-8 shrink-0 rounded-md bg-ink/6 p-0.5"
    >
      {(['draft', 'published'] as const).map((value) => (
        <ToggleGroup.Item
          key={value}
          value={value}
          className="rounded-[5px] px-2.5 text-xs text-ink-2 transition-colors data-[state=on]:bg-sheet data-[state=on]:font-medium data-[state=on]:text-ink data-[state=on]:shadow-sm"
        >
          {labels[value]}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
