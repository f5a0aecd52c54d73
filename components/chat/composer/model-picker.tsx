'use client';

import { ChevronDown } from 'lucide-react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import type { ModelList } from '#server/core/settings-report';
import { compactNumber } from '#components/ui/format';
import { Menu, MenuChoice, MenuChoices } from '#components/ui/menus';
import { strings } from '#components/words';

interface ModelPickerProps {
  /** Undefined: the server's default. */
  readonly modelId: string | undefined;
  readonly onChange: (modelId: string) => void;
}

/** Chooses the model for the next message; absent while there is only one. */
export function ModelPicker({ modelId, onChange }: ModelPickerProps) {
  const { data: models } = useSWR<ModelList>(paths.models);
  if (!models || models.items.length < 2) return null;
  const current = models.items.find(({ id }) => id === (modelId ?? models.defaultModelId));
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`${strings.composer.model}: ${current?.name ?? ''}`}
          className="flex h-8 max-w-44 items-center gap-1 rounded-md px-2 text-xs text-ink-2 hover:bg-ink/6"
        >
          <span className="truncate">{current?.name ?? strings.composer.model}</span>
          <ChevronDown aria-hidden className="size-3 shrink-0" />
        </button>
      }
    >
      <MenuChoices value={current?.id ?? ''} onValueChange={onChange}>
        {models.items.map((model) => (
          <MenuChoice key={model.id} value={model.id}>
            <span className="flex-1">{model.name}</span>
            <span className="text-xs text-ink-3 tabular-nums">{compactNumber(model.contextWindow)}</span>
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  );
}
