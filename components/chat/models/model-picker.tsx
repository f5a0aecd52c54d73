'use client';

import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { modelName } from '#components/chat/models/model-name.ts';
import { ModelChoices } from '#components/chat/models/model-choices';
import { Popover } from '#components/ui/menus';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { chooseModel, useNextModel } from '#components/chat/models/model-choice.ts';
import { useApi } from '#components/api/use-api.ts';

const tComposer = translator('composer');
const t = translator('model');

interface ModelPickerProps {
  /** Null for a new conversation. */
  readonly sessionId: string | null;
}

/** Chooses the model for the next message; renders nothing if only one is offered. */
export function ModelPicker({ sessionId }: ModelPickerProps) {
  const { data: models } = useApi(paths.models);
  const current = useNextModel(sessionId);
  const [isOpen, setIsOpen] = useState(false);
  if (!models || models.items.length < 2) return null;
  return (
    <Popover
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      trigger={
        <button
          type="button"
          aria-label={`${tComposer('model')}: ${current ? modelName(current) : ''}`}
          className="flex h-8 max-w-44 items-center gap-1 rounded-md px-2 text-xs text-ink-2 hover:bg-ink/6"
        >
          <span className="truncate">{current ? modelName(current) : tComposer('model')}</span>
          <ChevronDown aria-hidden className="size-3 shrink-0" />
        </button>
      }
      align="end"
      aria-label={t('list')}
      className="w-[min(26rem,calc(100vw-1.5rem))] overflow-hidden"
    >
      <ModelChoices
        sessionId={sessionId}
        fallback={models}
        value={current?.id ?? ''}
        onChoose={(chosen) => {
          chooseModel(sessionId, chosen).catch(reportFailure);
          setIsOpen(false);
        }}
      />
    </Popover>
  );
}
