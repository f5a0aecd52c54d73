import { Monitor, Smartphone, Tablet } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { Tip } from '#components/ui/tip';
import { previewDevices } from '#lib/desk/layout-preferences';
import type { PreviewDevice } from '#lib/desk/layout-preferences';
import { strings } from '#lib/strings';

const icons = { desktop: Monitor, tablet: Tablet, phone: Smartphone };

interface DeviceSwitchProps {
  readonly device: PreviewDevice;
  readonly onChange: (device: PreviewDevice) => void;
}

/** The screen that the preview pretends to have; the chosen one again goes back to the width that is there. */
export function DeviceSwitch({ device, onChange }: DeviceSwitchProps) {
  return (
    <ToggleGroup.Root
      type="single"
      value={device}
      aria-label={strings.preview.device}
      onValueChange={(value) => onChange(previewDevices.find((known) => known === value) ?? 'fit')}
      className="flex shrink-0 max-[899px]:hidden"
    >
      {(['desktop', 'tablet', 'phone'] as const).map((value) => {
        const Icon = icons[value];
        return (
          <Tip key={value} text={strings.preview.devices[value]}>
            <ToggleGroup.Item
              value={value}
              aria-label={strings.preview.devices[value]}
              className="inline-flex size-8 items-center justify-center rounded-md text-ink-3 transition-colors hover:bg-ink/6 hover:text-ink data-[state=on]:bg-ink/6 data-[state=on]:text-accent [&_svg]:size-[1.05rem] [&_svg]:stroke-[1.75]"
            >
              <Icon aria-hidden />
            </ToggleGroup.Item>
          </Tip>
        );
      })}
    </ToggleGroup.Root>
  );
}
