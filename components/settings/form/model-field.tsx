'use client';

import { translator } from '#components/i18n.ts';
import clsx from 'clsx';
import { Command } from 'cmdk';
import { Check, ChevronsUpDown } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useState } from 'react';
import { paths } from '#components/api/paths.ts';
import { compactNumber } from '#components/format.ts';
import { modelName } from '#components/chat/models/model-name.ts';
import type { FieldProps } from '#components/settings/form/field-props.ts';
import { useApi } from '#components/api/use-api.ts';

const t = translator('settings');

interface ModelFieldProps extends FieldProps<string> {
  /** Value that names no particular model, such as `__same__`; null if a model is required. */
  readonly openChoice: string | null;
  /** Label of the button without a value. */
  readonly placeholder?: string;
  /** The accessible name, for a field without a label. */
  readonly label?: string;
}

const row =
  'flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-sm select-none data-[selected=true]:bg-ink/6';

/** A model from the list of offered ones, or any other by its id. */
export function ModelField(props: ModelFieldProps) {
  const { id, labelId, describedBy, isInvalid, value, openChoice, placeholder = '', label, onChange } = props;
  const { data: models } = useApi(paths.models);
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const items = models?.items ?? [];
  const known = modelName({ id: value, name: items.find((model) => model.id === value)?.name ?? value });
  const name = t.find(`model.words.${value}`) ?? known;
  const wanted = typed.trim();
  const isListed = items.some((model) => model.id === wanted);

  const choose = (modelId: string) => {
    onChange(modelId);
    setIsOpen(false);
    setTyped('');
  };
  const mark = (modelId: string) => (
    <Check aria-hidden className={clsx('size-4 shrink-0 text-accent', modelId !== value && 'invisible')} />
  );

  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger
        id={id}
        aria-label={label}
        aria-labelledby={label === undefined ? `${labelId} ${id}` : undefined}
        aria-describedby={describedBy === '' ? undefined : describedBy}
        aria-invalid={isInvalid}
        className={clsx(
          'flex min-h-9 w-full items-center justify-between gap-2 rounded-md border bg-sheet px-3 py-1.5 text-left text-sm hover:border-ink-3',
          isInvalid ? 'border-red' : 'border-rule-strong',
        )}
      >
        <span className={clsx('min-w-0 break-words', name === '' && 'text-ink-3')}>
          {name === '' ? placeholder : name}
        </span>
        <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={6}
          collisionPadding={12}
          className="z-50 w-[min(24rem,calc(100vw-1.5rem))] animate-rise overflow-hidden rounded-lg border border-rule bg-sheet shadow-sheet"
        >
          <Command label={t('model.list')}>
            <Command.Input
              value={typed}
              onValueChange={setTyped}
              placeholder={t('model.search')}
              className="h-10 w-full border-b border-rule bg-transparent px-3 text-sm outline-none placeholder:text-ink-3"
            />
            <Command.List className="max-h-72 overflow-y-auto p-1">
              <Command.Empty className="px-2 py-3 text-sm text-ink-3">{t('model.none')}</Command.Empty>
              {openChoice !== null && (
                <Command.Item
                  value={t.find(`model.words.${openChoice}`) ?? openChoice}
                  onSelect={() => choose(openChoice)}
                  className={row}
                >
                  {mark(openChoice)}
                  {t.find(`model.words.${openChoice}`) ?? openChoice}
                </Command.Item>
              )}
              {items.map((model) => (
                <Command.Item
                  key={model.id}
                  value={model.id}
                  keywords={[modelName(model)]}
                  onSelect={() => choose(model.id)}
                  className={row}
                >
                  {mark(model.id)}
                  <span className="min-w-0 flex-1">
                    <span className="block truncate">{modelName(model)}</span>
                    {model.name !== model.id && <span className="block truncate text-xs text-ink-3">{model.id}</span>}
                  </span>
                  <span className="shrink-0 text-xs text-ink-3 tabular-nums">{compactNumber(model.contextWindow)}</span>
                </Command.Item>
              ))}
              {wanted !== '' && !isListed && (
                <Command.Item value={`use ${wanted}`} forceMount onSelect={() => choose(wanted)} className={row}>
                  <span className="size-4 shrink-0" />
                  {t('model.use', { id: wanted })}
                </Command.Item>
              )}
            </Command.List>
          </Command>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
