'use client';

import { ChevronDown } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useState } from 'react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { inYourWords } from '#components/served-words';
import { fetchedLater } from '#components/ui/fetched-later';
import { PopoverSheet } from '#components/ui/menus';
import { LoadingBlock } from '#components/ui/notices';
import { composerStrings, modelStrings } from '#components/chat/session/words';
import type { ModelList } from '#server/core/settings-report';

const ModelChoices = fetchedLater(
  async () => (await import('#components/chat/composer/model-choices')).ModelChoices,
  <LoadingBlock />,
);

interface ModelPickerProps {
  /** Null: a conversation to come. */
  readonly sessionId: string | null;
  /** Undefined: the server's default. */
  readonly modelId: string | undefined;
  readonly onChange: (modelId: string) => void;
}

/** Chooses the model for the next message; absent while there is only one. */
export function ModelPicker({ sessionId, modelId, onChange }: ModelPickerProps) {
  const { data: models } = useSWR<ModelList>(paths.models);
  const [isOpen, setIsOpen] = useState(false);
  if (!models || models.items.length < 2) return null;
  const current = models.items.find(({ id }) => id === (modelId ?? models.defaultModelId));
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          aria-label={`${composerStrings.model}: ${inYourWords(current?.name ?? '')}`}
          className="flex h-8 max-w-44 items-center gap-1 rounded-md px-2 text-xs text-ink-2 hover:bg-ink/6"
        >
          <span className="truncate">{current ? inYourWords(current.name) : composerStrings.model}</span>
          <ChevronDown aria-hidden className="size-3 shrink-0" />
        </button>
      </Popover.Trigger>
      <PopoverSheet
        align="end"
        aria-label={modelStrings.list}
        className="w-[min(26rem,calc(100vw-1.5rem))] overflow-hidden"
      >
        <ModelChoices
          sessionId={sessionId}
          fallback={models}
          value={current?.id ?? ''}
          onChoose={(chosen) => {
            onChange(chosen);
            setIsOpen(false);
          }}
        />
      </PopoverSheet>
    </Popover.Root>
  );
}
