import type { ContentBackend } from '#server/content/content-backend';
import { documentChanges } from '#server/content/field-changes';
import type { Entry, PatchOp, Reference } from '#server/core/content';
import type { SiteDocumentKey } from '#server/core/changes';
import type { EffectTarget, ToolEffect } from '#server/core/tool-effect';
import type { EffectContext } from '#server/tools/tool';

/** A tool effect; lists that are left out are empty. */
export function effect({
  changes = [],
  references = [],
  warnings = [],
  ...rest
}: Pick<ToolEffect, 'summary' | 'targets'> & Partial<ToolEffect>): ToolEffect {
  return { ...rest, changes, references, warnings };
}

export function entryTarget({ id, type, draft, revision }: Entry): EffectTarget {
  return { type, id, title: draft.title, revision };
}

/** The navigation, settings or another document of which a site has one. */
export async function siteTarget(content: ContentBackend, key: SiteDocumentKey, title: string): Promise<EffectTarget> {
  return { type: key, id: key, title, revision: await revisionOf(content, key) };
}

/** The revision that the journal gives a thing; 0 where nobody has changed it. */
export async function revisionOf(content: ContentBackend, targetId: string): Promise<number> {
  const [newest] = await content.changes({ targetId, limit: 1 });
  return newest?.revision ?? 0;
}

/** Effect of an edit of a draft. @throws as the edit would */
export async function draftEffect(
  { content, origin }: EffectContext,
  entry: Entry,
  operations: readonly PatchOp[],
): Promise<ToolEffect> {
  const { entry: after } = await content.patch(entry.id, operations, origin, { dryRun: true });
  return effect({
    summary: `Changes the draft of "${entry.draft.title}"; visitors see it once it is published.`,
    targets: [entryTarget(entry)],
    changes: documentChanges(entry.draft, after.draft),
    warnings: await content.cautions(entry),
  });
}

/**
 * Links and warnings about an entry that visitors would no longer find.
 * @param notes of the write, rehearsed
 */
export async function goneFromSite(
  content: ContentBackend,
  { id, type, published }: Entry,
  notes: readonly string[] = [],
): Promise<{ references: readonly Reference[]; warnings: string[] }> {
  const references = await content.referencesTo({ type, id });
  const children = references.filter(({ kind }) => kind === 'child').length;
  const isHome = references.some(({ kind }) => kind === 'home');
  return {
    references: references.filter(({ kind }) => kind !== 'home'),
    warnings: [
      ...notes,
      ...(isHome && published !== null && notes.length === 0
        ? ['It is the home page: visitors would not find it at / any more.']
        : []),
      ...(children > 0 ? [`It has ${children === 1 ? '1 subpage' : `${children} subpages`}.`] : []),
    ],
  };
}
