import { Link2, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { More } from '#components/approvals/value-view';
import { FieldChanges } from '#components/changes/field-changes';
import { localizedText } from '#components/message-text.ts';
import { useFirst } from '#components/ui/hooks.ts';
import type { Address } from '#components/api/routes.ts';
import { useApi } from '#components/api/use-api.ts';
import type { Reference } from '#server/core/site/content';
import type { FieldChange } from '#server/core/site/changes';
import type { ToolEffect } from '#server/core/conversation/tool-effect';

const t = translator('approval');
const tTools = translator('tools');
const tServer = translator('server');

/** Number of changes or references shown before the user expands the list. A choice, not measured. */
const INITIAL_ITEMS = 4;

/** Most links to previews. A choice, not measured. */
const MAX_PREVIEW_LINKS = 5;

export interface ApprovalEffectProps {
  readonly effect: ToolEffect;
  /** Address of the call with its complete effect; null if the effect is complete already. */
  readonly complete: Address<{ readonly effect: ToolEffect | null }> | null;
  /** Address of the preview of a path of the site. */
  readonly previewOf: (path: string) => string;
}

/** True if the effect does not contain everything, because large parts were left out. */
function isCut({ omitted, changes, digest }: ToolEffect): boolean {
  // Older versions stored cut effects.
  return omitted !== undefined || digest === undefined || changes.some((change) => change.omitted !== undefined);
}

/** What a call would do, for the person who decides; parts that were left out are counted and can be loaded. */
export function ApprovalEffect({ effect: shown, complete, previewOf }: ApprovalEffectProps) {
  const [isWhole, setIsWhole] = useState(false);
  const isLoaded = isWhole && complete !== null;
  const { data, error } = useApi(isLoaded ? complete : null);
  const effect = data?.effect ?? shown;
  const { summary, message, warnings, notices, references, changes, targets, omitted } = effect;
  const left = omitted === undefined ? 0 : omitted.changes + omitted.references + omitted.warnings;
  return (
    <div className="mt-1 flex flex-col gap-2 text-sm text-ink-2">
      <p className="[overflow-wrap:anywhere]">{localizedText(message, summary)}</p>
      {warnings.length > 0 && (
        <ul className="flex flex-col gap-1">
          {warnings.map((warning, index) => (
            <li key={index} className="flex gap-1.5 text-ink">
              <TriangleAlert aria-hidden className="mt-1 size-3.5 shrink-0 text-amber" />
              <span className="min-w-0 [overflow-wrap:anywhere]">{localizedText(notices?.[index], warning)}</span>
            </li>
          ))}
        </ul>
      )}
      {references.length > 0 && <References references={references} />}
      {changes.length > 0 && <Changes changes={changes} />}
      {left > 0 && <p>{t('omitted', { count: left })}</p>}
      {effect.digest === undefined && <p>{t('fromOlderVersion')}</p>}
      {error && <p className="text-red">{t('completeFailed')}</p>}
      <p className="flex flex-wrap gap-x-4 gap-y-1">
        {!data && complete !== null && isCut(shown) && shown.digest !== undefined && (
          <More text={t('complete')} onClick={() => setIsWhole(true)} />
        )}
        {targets.slice(0, MAX_PREVIEW_LINKS).map(({ id, title, path }) =>
          path === undefined ? null : (
            <a
              key={id}
              href={previewOf(path)}
              target="_blank"
              rel="noopener"
              className="rounded text-accent [overflow-wrap:anywhere] hover:underline"
            >
              {t('preview', { title })}
            </a>
          ),
        )}
      </p>
    </div>
  );
}

function References({ references }: { readonly references: readonly Reference[] }) {
  const { shown, hidden, showAll } = useFirst(references, INITIAL_ITEMS);
  return (
    <div>
      <h3 className="flex items-center gap-1.5 font-medium text-ink">
        <Link2 aria-hidden className="size-3.5 shrink-0 text-ink-3" />
        {t('references', { count: references.length })}
      </h3>
      <ul className="mt-1 ml-1.5 flex flex-col gap-0.5 border-l border-rule-strong pl-3">
        {shown.map(({ kind, from, text, isPublished }, index) => (
          <li key={index} className="[overflow-wrap:anywhere]">
            <span className="text-ink">
              {kind === 'navigation' ? `${tServer('document.navigation')} › ${text}` : from.title}
            </span>{' '}
            {t(`referenceKinds.${kind}`)}
            {!isPublished && ` (${t('draftOnly')})`}
          </li>
        ))}
      </ul>
      {hidden > 0 && <More text={tTools('moreItems', { count: hidden })} onClick={showAll} />}
    </div>
  );
}

function Changes({ changes }: { readonly changes: readonly FieldChange[] }) {
  const { shown, hidden, showAll } = useFirst(changes, INITIAL_ITEMS);
  return (
    <div className="rounded-md border border-rule bg-paper px-2.5 py-2">
      <h3 className="sr-only">{t('changes')}</h3>
      <FieldChanges fields={shown} />
      {hidden > 0 && <More text={tTools('moreItems', { count: hidden })} onClick={showAll} />}
    </div>
  );
}
