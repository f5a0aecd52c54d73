import { ListTree } from 'lucide-react';
import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { Outline } from '#components/editor/panels/outline';
import { IconButton } from '#components/ui/buttons';
import { Popover } from '#components/ui/menus';

const t = translator('shared');

interface OutlineButtonProps {
  /** Path of the displayed page. */
  readonly path: string;
  /** True if a click chooses a section; otherwise the page works as for visitors. */
  readonly isPointing: boolean;
  readonly onPointing: (isPointing: boolean) => void;
}

/** Button that opens the outline of a page. */
export function OutlineButton(page: OutlineButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const label = t('page.outline');
  return (
    <Popover
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      trigger={<IconButton label={label} icon={<ListTree aria-hidden />} aria-pressed={isOpen} />}
      aria-label={label}
      align="end"
      onOpenAutoFocus={(event) => {
        event.preventDefault();
        (event.currentTarget as HTMLElement).querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')?.focus();
      }}
      className="flex max-h-(--radix-popover-content-available-height) w-84 max-w-[calc(100vw-1rem)] flex-col"
    >
      <Outline {...page} onClose={() => setIsOpen(false)} />
    </Popover>
  );
}
