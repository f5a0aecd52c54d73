// The text field keeps the focus, which a select would take.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import clsx from 'clsx';
import { Check } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { translator } from '#components/i18n.ts';
import { CommandIcon } from '#components/chat/commands/command-icon';
import type { CommandItem } from '#components/chat/commands/commands.ts';
import { optionId, type SlashListState } from '#components/chat/commands/use-slash-menu.ts';

const t = translator('command');

interface SlashListProps extends SlashListState {
  /** Side of the composer with enough space for the list. */
  readonly side: 'above' | 'below';
}

/** The commands that match the text in the composer. The composer keeps the focus. */
export function SlashList({ id, items, active, writing, onPoint, onPick, side }: SlashListProps) {
  return (
    <div
      className={clsx(
        'absolute inset-x-0 z-30 animate-rise overflow-hidden rounded-xl border border-rule bg-sheet shadow-sheet',
        side === 'above' ? 'bottom-full mb-2' : 'top-full mt-2',
      )}
    >
      <output className="sr-only">{items.length > 0 && t('found', { count: items.length })}</output>
      {items.length === 0 && writing !== null ? (
        <p className="flex items-center gap-2.5 px-3.5 py-2.5 text-sm text-ink-2">
          <CommandIcon name={writing} />
          {t('with', { title: t(`titles.${writing}`) })}
        </p>
      ) : (
        <div
          id={id}
          role="listbox"
          aria-label={t('label')}
          className="max-h-[min(20.5rem,42dvh)] overflow-y-auto p-1.5"
        >
          {items.map((item, index) => (
            <Option
              key={item.key}
              id={optionId(id, index)}
              item={item}
              isActive={index === active}
              onPoint={() => onPoint(index)}
              onPick={() => onPick(item)}
            />
          ))}
        </div>
      )}
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly item: CommandItem;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onPick: () => void;
}

function Option({ id, item, isActive, onPoint, onPick }: OptionProps) {
  const { slash, argument, argumentHint, title, isCurrent, whyNot, name } = item;
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // The field keeps the focus and handles the keys of the list.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={line}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      aria-disabled={whyNot !== null}
      // Keeps the focus in the text field.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={() => !isActive && onPoint()}
      onClick={onPick}
      className={clsx(
        'flex min-h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm select-none pointer-coarse:min-h-11',
        isActive && 'bg-ink/6',
        whyNot !== null && 'text-ink-3',
      )}
    >
      <CommandIcon name={name} />
      {argument === '' && <span className="w-20 shrink-0 font-medium">{slash}</span>}
      <span
        className={clsx('min-w-0 flex-1 truncate', whyNot === null ? argument === '' && 'text-ink-2' : 'max-sm:hidden')}
      >
        {title}
        {argumentHint !== null && whyNot === null && <span className="text-ink-3"> · {argumentHint}</span>}
      </span>
      {isCurrent && <Check aria-hidden className="size-4 text-accent" />}
      {whyNot !== null && <span className="shrink-0 text-xs text-ink-3 max-sm:ml-auto">{whyNot}</span>}
    </div>
  );
}
